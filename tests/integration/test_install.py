"""`make install`: what it puts where, and that it works from there."""

import os
import subprocess

import pytest

from stack.found import PROJECT
from support.places import AVRO_SCHEMAS, binary
from support.pruned import clean_environment


@pytest.fixture
def installed(tmp_path):
    """With a prefix that is not the default."""
    here = clean_environment() | {name: os.environ[name] for name in ("PRUNED_DEPS",) if name in os.environ}
    subprocess.run(["make", "-s", "install", f"BUILD={binary().parent.relative_to(PROJECT)}", "PREFIX=/opt/of-ours",
                    f"DESTDIR={tmp_path}"], cwd=PROJECT, env=here, check=True, stdout=subprocess.DEVNULL)
    return tmp_path / "opt/of-ours"


def run(installed, *arguments):
    return subprocess.run([installed / "bin/pruned", *arguments], env=clean_environment(), cwd="/", text=True, check=True,
                          stdout=subprocess.PIPE).stdout


@pytest.mark.check_all
def test_the_binary_its_unit_and_what_an_operator_needs(installed):
    assert run(installed, "version").startswith("name\tversion\npruned\t")
    assert {p.name for p in (installed / "share/pruned").iterdir()} == {"alerts.yml", "grafana", "pruned.conf", "schemas"}
    schemas = {p.relative_to(installed / "share/pruned/schemas"): p.read_bytes() for p in (installed / "share/pruned/schemas").rglob("*.avsc")}
    assert schemas == {p.relative_to(AVRO_SCHEMAS): p.read_bytes() for p in AVRO_SCHEMAS.rglob("*.avsc")}
    assert {p.name for p in (installed / "share").iterdir()} == {"bash-completion", "fish", "man", "pruned", "zsh"}
    assert "pruned-tick.1" in {p.name for p in (installed / "share/man/man1").iterdir()}
    assert (installed.parents[1] / "etc/pruned/jobs.d").is_dir()
    unit = (installed / "lib/systemd/system/pruned.service").read_text()
    assert "ExecStart=/opt/of-ours/bin/pruned run\n" in unit and "/usr/local" not in unit


@pytest.mark.check_all
def test_the_example_is_a_configuration_that_explains_every_key_and_changes_nothing(installed):
    example = installed / "share/pruned/pruned.conf"
    assert example.read_text() == run(installed, "config", "--example")
    with_it, without = (run(installed, "-c", path, "config") for path in (example, "/dev/null"))
    assert with_it == without
    section, explained = "", set()
    for line in example.read_text().splitlines():
        if line.strip("#").startswith("["):
            section = line.strip("#[]")
        elif " = " in line or line.endswith(" ="):
            explained.add(f"{section}.{line.lstrip('#').partition(' =')[0]}")
    keys = {line.partition("\t")[0] for line in without.splitlines()[1:]}
    assert keys - explained - {key for key in keys if key.startswith("kafka.")} == set()
