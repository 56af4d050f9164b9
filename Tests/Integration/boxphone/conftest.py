import pytest

from boxphone_program import BoxPhone


@pytest.fixture
def phone(boxphone, tmp_path):
    return BoxPhone(boxphone, tmp_path)
