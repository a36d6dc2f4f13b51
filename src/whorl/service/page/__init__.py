"""The web page of the service: for people, over the same functions as the API. Every form works without scripts."""
