"""Make the sample encyclopaedia's index again, which is shipped with the program. Run it when an article changes.

.venv/bin/python scripts/ship_index.py
"""

import shutil

from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.chunkers import chunk
from engine.backends.retrieval.corpus import CutPassages, build_index
from engine.backends.retrieval.documents import read_documents
from engine.backends.retrieval.index_store import SHIPPED, content_hash, write_index
from engine.core.folders import sample_data
from engine.core.progress import silent
from engine.methods.profiles import PROFILES


def main() -> None:
    """Replace what is shipped."""
    profile, embedder, documents = PROFILES["embedded"], load_embedder("cpu"), read_documents(sample_data())
    index = build_index(
        documents,
        lambda one: chunk(one, embedder, profile.chunk_tokens, profile.chunk_overlap),
        embedder.embed,
        embedder,
        silent,
    )
    if index is None:
        raise SystemExit("The sample encyclopaedia holds no passage.")
    key = content_hash(documents, profile.chunk_tokens, profile.chunk_overlap, embedder.name)
    shutil.rmtree(SHIPPED, ignore_errors=True)
    SHIPPED.mkdir()
    write_index(SHIPPED / key, index)
    (SHIPPED / ".lock").unlink(missing_ok=True)
    print(f"{len(CutPassages(documents, index.chunks))} passages are in {SHIPPED.name}/{key}.")


if __name__ == "__main__":
    main()
