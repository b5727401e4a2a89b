"""The data sets of the paper: from a folder, or from their public homes, checked and cited.

>>> from splitsecond import datasets
>>> datasets.names()[:3]
['compas', 'heloc', 'adult']
>>> datasets.describe("adult").licence
'CC BY 4.0 (UCI)'
"""

from splitsecond.datasets._load import Dataset, Description, describe, load, names

__all__ = ["Dataset", "Description", "describe", "load", "names"]
