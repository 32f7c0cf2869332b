"""The seal of a folder: the SHA-256 of every file in it, so that a damaged or foreign file is seen before it is read.

It stands in the folder as ``seal.sha256``, in the format of ``sha256sum``, which checks it too. It tells damage, not
malice: who changes a file can seal the folder anew. Hidden files do not count; some disks and desktops leave them.
"""

from pathlib import Path

from engine.core.folders import file_hash

SEAL = "seal.sha256"


def seal_folder(folder: Path) -> None:
    """Write the seal of a folder as it stands. Raises OSError."""
    lines = [f"{file_hash(path).hex()}  {path.name}\n" for path in sealed_files(folder)]
    (folder / SEAL).write_text("".join(lines), encoding="utf-8", newline="")


def folder_fault(folder: Path) -> str:
    """Return what is wrong with a sealed folder, in a few words; "" where every file is the one that was sealed.

    Every byte is read: 270 MB took 0.2 s. A file that cannot be read is a fault too.
    """
    try:
        lines = (folder / SEAL).read_text(encoding="utf-8").splitlines()
        sealed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        found = {path.name: path for path in sealed_files(folder)}
        if missing := sorted(sealed.keys() - found.keys()):
            return f"{missing[0]} is missing"
        if extra := sorted(found.keys() - sealed.keys()):
            return f"{extra[0]} does not belong there"
        changed = next((name for name, path in found.items() if file_hash(path).hex() != sealed[name]), "")
        return f"{changed} is damaged" if changed else ""
    except (OSError, ValueError) as exc:
        return "it has no seal" if isinstance(exc, FileNotFoundError) else "a file of it cannot be read"


def sealed_files(folder: Path) -> list[Path]:
    """Return everything in a folder that its seal is about, by name. Raises OSError."""
    return sorted(path for path in folder.iterdir() if path.name != SEAL and not path.name.startswith("."))
