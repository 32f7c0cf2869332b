"""At which address phones reach the workbench: the owner's name, the address asked for, else this machine's."""

import pytest

from engine.core.allowed import is_loopback
from engine.core.network import address_of, machine_address, reachable_host


@pytest.mark.parametrize(
    ("named", "asked_at", "listens_at", "host"),
    [
        ("", "localhost", "localhost", ""),
        ("", "127.0.0.1", "127.0.0.1", ""),
        ("", "", "localhost", ""),
        ("", "localhost", "0.0.0.0", "10.0.0.7"),
        ("", "::1", None, "10.0.0.7"),
        ("", "localhost", "::", "10.0.0.7"),
        ("", "localhost", "192.168.1.5", "192.168.1.5"),
        ("", "192.168.1.5", "0.0.0.0", "192.168.1.5"),
        ("", "proxy.example", "localhost", "proxy.example"),
        ("scope.example", "10.1.1.1", "0.0.0.0", "scope.example"),
        ("scope.example", "localhost", "localhost", "scope.example"),
    ],
)
def test_the_host_for_phones(named: str, asked_at: str, listens_at: str | None, host: str) -> None:
    assert reachable_host(named, asked_at, listens_at, "10.0.0.7") == host


def test_a_machine_without_a_network_has_no_address_for_phones() -> None:
    assert reachable_host("", "localhost", "0.0.0.0", "") == ""


def test_the_machines_address_is_none_that_only_it_reaches() -> None:
    found = machine_address()
    assert found == "" or not is_loopback(found)


def test_scheme_port_and_path_are_kept() -> None:
    assert address_of("https", "scope.example", None, "/lab/vote") == "https://scope.example/lab/vote"
    assert address_of("http", "10.0.0.7", 8501, "/vote") == "http://10.0.0.7:8501/vote"
