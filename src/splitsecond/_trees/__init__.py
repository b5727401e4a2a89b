"""One tree and its forms: text, rules, SQL, Python, scikit-learn."""
