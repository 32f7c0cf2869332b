"""One adapter from several training runs: the mean of their changes, reduced to the rank of each.

Runs with one base and different seeds overfit in different directions; the mean keeps what they share (Wortsman et al.
2022, "Model soups"). The mean of low-rank changes has the sum of their ranks. It is reduced so that the layers' outputs
change least: the largest singular values of change times input are kept. The inputs come from training prompts (Wang et
al. 2024, "SVD-LLM", truncation-aware whitening).

    python -m training.average_adapters OUT RUN/adapter RUN/adapter --nq nq-open-oracle.jsonl.gz

A run that went on from another shares its low-rank space. ``--path`` takes the middle of the path between such runs:
the mean of the matrices themselves, which needs no prompts and loses nothing.

    python -m training.average_adapters OUT FIRST/adapter SECOND/adapter --path
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from training.layer_inputs import changed_model, prompts_with_replies, second_moments
from training.nq_open import OracleRow, oracle_path, read_oracle

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
PREFIX, DOWN, UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
SELDOM = 0.01
Change = tuple[torch.Tensor, torch.Tensor]


def averaged(changes: Sequence[Change]) -> torch.Tensor:
    """Return the mean change [out, in] of one layer.

    ``changes`` are pairs (down [r, in], up [out, r]) of one rank r. Raises ValueError for no pairs or different shapes.
    """
    if not changes or len({(down.shape, up.shape) for down, up in changes}) != 1:
        raise ValueError("adapters of one rank over the same layers are needed")
    return torch.stack([up.float() @ down.float() for down, up in changes]).mean(dim=0)


def cut(change: torch.Tensor, rank: int, moments: torch.Tensor) -> tuple[Change, float]:
    """Return (down [rank, in], up [out, rank]), whose product is nearest to the change on the inputs, and the lost
    share.

    ``moments`` [in, in] are the second moments of the inputs, in any unit. A hundredth of their mean square is added in
    every direction, for inputs that did not occur. The lost share is that of the squared output, in [0, 1].
    """
    scaled = moments.double() / moments.diagonal().double().mean()
    root = torch.linalg.cholesky(scaled + SELDOM * torch.eye(len(scaled), dtype=torch.double)).float()
    left, sizes, right = torch.linalg.svd(change @ root, full_matrices=False)
    half = sizes[:rank].sqrt()
    down = torch.linalg.solve_triangular(root.T, right[:rank].T, upper=True).T
    lost = float((sizes[rank:] ** 2).sum() / (sizes**2).sum()) if sizes.any() else 0.0
    return (half[:, None] * down, left[:, :rank] * half), lost


def write_average(runs: Sequence[Path], out: Path, rows: Sequence[OracleRow]) -> float:
    """Write the mean of the adapters in these folders to ``out``, in half precision; return the mean share lost."""
    loaded = [load_file(str(run / WEIGHTS)) for run in runs]
    settings = json.loads((runs[0] / CONFIG).read_text())
    names = [name.removeprefix(PREFIX).removesuffix(DOWN) for name in sorted(loaded[0]) if name.endswith(DOWN)]
    pairs = {name: [(of[PREFIX + name + DOWN], of[PREFIX + name + UP]) for of in loaded] for name in names}
    means = {name: averaged(pairs[name]) for name in names}
    scale = settings["lora_alpha"] / settings["r"]
    model = changed_model({name: scale * mean for name, mean in means.items()})
    moments = second_moments(model, names, prompts_with_replies(rows))
    made: dict[str, torch.Tensor] = {}
    lost = []
    for name, mean in means.items():
        change, share = cut(mean, settings["r"], moments[name])
        made[PREFIX + name + DOWN], made[PREFIX + name + UP] = (part.half().contiguous() for part in change)
        lost.append(share)
    out.mkdir(parents=True, exist_ok=True)
    save_file(made, str(out / WEIGHTS))
    shutil.copyfile(runs[0] / CONFIG, out / CONFIG)
    return sum(lost) / len(lost)


def write_middle(runs: Sequence[Path], out: Path) -> None:
    """Write the mean of the adapters' own matrices to ``out``, in half precision: for runs that went on from another.

    Raises ValueError where they have other layers or ranks.
    """
    loaded = [load_file(str(run / WEIGHTS)) for run in runs]
    shapes = [{name: part.shape for name, part in of.items()} for of in loaded]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("adapters of one rank over the same layers are needed")
    made = {name: torch.stack([of[name].float() for of in loaded]).mean(dim=0).half() for name in loaded[0]}
    out.mkdir(parents=True, exist_ok=True)
    save_file(made, str(out / WEIGHTS))
    if out != runs[0]:
        shutil.copyfile(runs[0] / CONFIG, out / CONFIG)


def main() -> None:
    """Read the command line and write the mean adapter."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("out", type=Path, help="the folder to write to")
    parser.add_argument("runs", type=Path, nargs="+", help="folders of adapters: RUN/adapter")
    parser.add_argument("--nq", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--path", action="store_true", help="the runs went on from one another: mean of the matrices")
    given = parser.parse_args()
    if given.path:
        write_middle(given.runs, given.out)
        print(f"{given.out}: the middle of {len(given.runs)} adapters")
        return
    rows = [row for row in read_oracle(oracle_path(given.nq)) if not row.test]
    lost = write_average(given.runs, given.out, rows)
    print(f"{given.out}: the mean of {len(given.runs)} adapters; {lost:.1%} of what it does cut off")


if __name__ == "__main__":
    main()
