"""Adds the folder of the login tests to the import path."""
import pathlib
import sys

INTEGRATION = pathlib.Path(__file__).resolve().parents[1] / "Integration"
sys.path[:0] = [str(INTEGRATION / "agent"), str(INTEGRATION / "pam")]
