"""One adapter from several training runs: the mean of what they change, made smaller, cut back to the rank of each.

Runs that start from one base and differ in their seed overfit in different directions; the mean keeps what they share
(Wortsman et al. 2022, "Model soups"). A change that was learnt from some thousand replies is also too large for
questions that were not among them: it is shrunk towards the base (Wortsman et al. 2021, "Robust fine-tuning of
zero-shot models"; one factor for all layers, chosen on held-out questions). The mean of low-rank changes has the sum of
their ranks; its largest singular values are kept (Eckart and Young 1936), so that the adapter stays as small as one.

    python -m training.average_adapters OUT RUN/adapter RUN/adapter --shrink 0.8
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
DOWN, UP = ".lora_A.", ".lora_B."
Change = tuple[torch.Tensor, torch.Tensor]


def averaged(changes: Sequence[Change], shrink: float) -> tuple[Change, float]:
    """Return (down [r, in], up [out, r]) whose product is nearest to ``shrink`` times the mean, and the share it loses.

    ``changes`` are pairs (down [r, in], up [out, r]) of one layer, all of one rank r; the share, in [0, 1], is of the
    squared singular values. Raises ValueError for no change or for different shapes.
    """
    if not changes or len({(down.shape, up.shape) for down, up in changes}) != 1:
        raise ValueError("adapters of one rank over the same layers are needed")
    rank = changes[0][0].shape[0]
    mean = torch.stack([up.float() @ down.float() for down, up in changes]).mean(dim=0) * shrink
    left, sizes, right = torch.linalg.svd(mean, full_matrices=False)
    root = sizes[:rank].sqrt()
    lost = float((sizes[rank:] ** 2).sum() / (sizes**2).sum()) if sizes.any() else 0.0
    return (root[:, None] * right[:rank], left[:, :rank] * root), lost


def write_average(runs: Sequence[Path], out: Path, shrink: float) -> float:
    """Write the mean of the adapters in these folders to ``out``, in half precision; return the mean share lost."""
    loaded = [load_file(str(run / WEIGHTS)) for run in runs]
    made: dict[str, torch.Tensor] = {}
    lost = []
    for down in sorted(name for name in loaded[0] if DOWN in name):
        up = down.replace(DOWN, UP)
        change, share = averaged([(tensors[down], tensors[up]) for tensors in loaded], shrink)
        made[down], made[up] = (part.to(torch.float16).contiguous() for part in change)
        lost.append(share)
    out.mkdir(parents=True, exist_ok=True)
    save_file(made, str(out / WEIGHTS))
    shutil.copyfile(runs[0] / CONFIG, out / CONFIG)
    return sum(lost) / len(lost)


def main() -> None:
    """Read the command line and write the mean adapter."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("out", type=Path, help="the folder to write to")
    parser.add_argument("runs", type=Path, nargs="+", help="folders of adapters: RUN/adapter")
    parser.add_argument("--shrink", type=float, default=1.0, help="by what the mean change is multiplied")
    given = parser.parse_args()
    lost = write_average(given.runs, given.out, given.shrink)
    print(f"{given.out}: the mean of {len(given.runs)} adapters times {given.shrink:g}; {lost:.1%} of it cut off")


if __name__ == "__main__":
    main()
