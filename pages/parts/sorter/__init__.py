"""The one component of the labelling page: python, html, css and js."""
