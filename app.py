"""Evaluator Bench: `streamlit run app.py`."""

from pages.parts.shell import main

main()
