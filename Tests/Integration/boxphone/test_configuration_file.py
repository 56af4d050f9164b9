"""~/.config/boxphone/config.toml: what it changes, what overrides it, and who may own it."""

import subprocess

from boxphone_program import PATIENCE, environment


def write(phone, text, mode=0o600):
    file = phone.home / ".config/boxphone/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


def run(phone, *words, **variables):
    return subprocess.run(
        [phone.program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
        env={**environment(phone.home), **variables}, start_new_session=True)


def test_the_file_says_where_the_vault_is_and_the_option_overrides_it(phone, tmp_path):
    write(phone, f'directory = "{tmp_path}/from-file"\n')
    assert run(phone, "boxes").returncode == 0
    assert (tmp_path / "from-file").is_dir() and not phone.vault.exists()
    assert run(phone, "boxes", "--directory", str(tmp_path / "from-option")).returncode == 0
    assert (tmp_path / "from-option").is_dir()


def test_the_variable_overrides_the_file_and_the_option_overrides_both(phone, tmp_path):
    write(phone, f'radio = "bluez"\nair = "{tmp_path}"\n')
    no_bus = ("scan", "--bus", "unix:path=/nowhere")
    assert run(phone, *no_bus).returncode == 71
    assert run(phone, *no_bus, BOXPHONE_RADIO="loopback").returncode == 69
    assert run(phone, *no_bus, "--radio", "bluez", BOXPHONE_RADIO="loopback").returncode == 71
    assert run(phone, *no_bus, "--radio", "loopback", BOXPHONE_RADIO="bluez").returncode == 69
    wrong = run(phone, "scan", BOXPHONE_RADIO="wifi")
    assert wrong.returncode == 64 and 'BOXPHONE_RADIO="wifi" is not valid' in wrong.stderr


def test_the_file_is_looked_for_below_xdg_config_home(phone, tmp_path):
    write(phone, "nonsense\n")
    (tmp_path / "elsewhere/boxphone").mkdir(parents=True)
    assert run(phone, "boxes", XDG_CONFIG_HOME=str(tmp_path / "elsewhere")).returncode == 0


def test_what_is_wrong_is_named_with_file_and_line_and_nothing_is_done(phone):
    file = write(phone, '# mine\nradoi = "bluez"\n')
    done = run(phone, "boxes")
    assert done.returncode == 78
    assert f"{file}:2: there is no key radoi\n  did you mean radio?" in done.stderr
    assert not phone.vault.exists()
    write(phone, "radio = bluez\n")
    assert f"{file}:1: is not TOML" in run(phone, "boxes").stderr


def test_a_file_that_others_may_write_is_refused(phone):
    file = write(phone, "", 0o646)
    done = run(phone, "boxes")
    assert done.returncode == 78
    assert "is writable by every user of this machine" in done.stderr and f"chmod o-w {file}" in done.stderr
