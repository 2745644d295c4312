"""Label."""

from pages.parts.shell import ensure

ensure()
import streamlit as st

st.text("PAGE label")
