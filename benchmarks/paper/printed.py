"""What the paper prints, read from the source of its tables.

Times are the paper's, in seconds, on one machine with a Xeon Gold 6226 at 2.70 GHz.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Interval: TypeAlias = tuple[float, float]
Printed: TypeAlias = tuple[float, float]  # mean and half width

# Tables "Results for lambda": training objective and time by lambda, data set and algorithm.
OBJECTIVES: dict[float, dict[str, dict[str, tuple[Printed, Printed]]]] = {
    0.001: {
        "bike": {
            "GOSDT": ((0.1322, 0.0015), (606.87, 2.12)),
            "LicketySPLIT": ((0.1328, 0.001), (1.68, 0.05)),
            "Greedy": ((0.2101, 0.0401), (0.01, 0.0)),
        },
        "adult": {
            "GOSDT": ((0.1797, 0.0032), (372.62, 2.01)),
            "LicketySPLIT": ((0.18, 0.002), (1.46, 0.01)),
            "Greedy": ((0.195, 0.035), (0.01, 0.0)),
        },
        "covertype": {
            "GOSDT": ((0.2442, 0.0002), (528.67, 1.68)),
            "LicketySPLIT": ((0.2472, 0.0003), (11.86, 0.29)),
            "Greedy": ((0.2681, 0.002), (0.01, 0.0)),
        },
    },
    0.006: {
        "heloc": {
            "GOSDT": ((0.3107, 0.0128), (266.15, 1.81)),
            "SPLIT": ((0.3107, 0.0128), (5.06, 0.32)),
            "LicketySPLIT": ((0.3107, 0.0128), (0.46, 0.01)),
        },
        "compas": {
            "GOSDT": ((0.3473, 0.0029), (8.99, 0.31)),
            "SPLIT": ((0.3473, 0.0029), (0.64, 0.01)),
            "LicketySPLIT": ((0.3473, 0.0029), (0.29, 0.0)),
        },
        "netherlands": {
            "GOSDT": ((0.3156, 0.0006), (70.49, 0.15)),
            "SPLIT": ((0.3165, 0.0008), (2.29, 0.01)),
            "LicketySPLIT": ((0.3165, 0.0008), (0.61, 0.0)),
        },
        "bike": {
            "GOSDT": ((0.1736, 0.0007), (607.32, 0.89)),
            "SPLIT": ((0.1737, 0.0072), (13.77, 0.18)),
            "LicketySPLIT": ((0.1753, 0.0158), (1.64, 0.01)),
        },
        "adult": {
            "GOSDT": ((0.1998, 0.001), (264.79, 0.99)),
            "SPLIT": ((0.1998, 0.001), (4.89, 0.02)),
            "LicketySPLIT": ((0.1998, 0.001), (1.39, 0.0)),
        },
        "covertype": {
            "GOSDT": ((0.2652, 0.0001), (32.27, 0.27)),
            "SPLIT": ((0.2652, 0.0001), (6.21, 0.02)),
            "LicketySPLIT": ((0.2652, 0.0001), (11.24, 0.01)),
        },
    },
    0.011: {
        "heloc": {
            "GOSDT": ((0.3214, 0.0017), (231.41, 5.55)),
            "SPLIT": ((0.3214, 0.0017), (4.1, 0.03)),
            "LicketySPLIT": ((0.3214, 0.0017), (0.44, 0.0)),
        },
        "compas": {
            "GOSDT": ((0.3621, 0.0066), (7.17, 0.53)),
            "SPLIT": ((0.3621, 0.0066), (0.32, 0.08)),
            "LicketySPLIT": ((0.3621, 0.0066), (0.26, 0.01)),
        },
        "netherlands": {
            "GOSDT": ((0.3406, 0.0006), (56.54, 0.11)),
            "SPLIT": ((0.3515, 0.0105), (1.74, 0.01)),
            "LicketySPLIT": ((0.3515, 0.0105), (0.6, 0.0)),
        },
        "bike": {
            "GOSDT": ((0.1961, 0.0006), (610.2, 0.55)),
            "SPLIT": ((0.1961, 0.0006), (12.91, 0.05)),
            "LicketySPLIT": ((0.1961, 0.0006), (1.6, 0.01)),
        },
        "adult": {
            "GOSDT": ((0.2148, 0.001), (211.86, 0.68)),
            "SPLIT": ((0.2148, 0.001), (2.9, 0.07)),
            "LicketySPLIT": ((0.2148, 0.001), (1.39, 0.0)),
        },
        "covertype": {
            "GOSDT": ((0.2752, 0.0001), (2.62, 0.23)),
            "SPLIT": ((0.2752, 0.0001), (6.07, 0.08)),
            "LicketySPLIT": ((0.2752, 0.0001), (10.7, 0.0)),
        },
    },
}

# Tables "Results (# leaves between ...)" and, for 15 to 30, "for non sparse trees": 95 % intervals
# of time, binarization included, and of the test loss, by number of leaves.
LEAVES: dict[tuple[int, int], dict[str, dict[str, tuple[Interval, Interval]]]] = {
    (3, 6): {
        "compas": {
            "LicketySPLIT": ((2.85, 2.97), (0.306, 0.328)),
            "SPLIT": ((2.84, 3.01), (0.314, 0.335)),
            "CART": ((0.0, 0.0), (0.322, 0.354)),
        },
        "bank": {
            "LicketySPLIT": ((0.47, 0.52), (0.103, 0.119)),
            "SPLIT": ((0.57, 0.67), (0.101, 0.116)),
            "CART": ((0.0, 0.0), (0.106, 0.123)),
        },
        "bike": {
            "LicketySPLIT": ((2.67, 2.81), (0.133, 0.147)),
            "SPLIT": ((3.8, 4.71), (0.139, 0.152)),
            "CART": ((0.01, 0.01), (0.207, 0.215)),
        },
        "adult": {
            "LicketySPLIT": ((2.94, 3.19), (0.155, 0.159)),
            "SPLIT": ((3.66, 4.26), (0.155, 0.159)),
            "CART": ((0.02, 0.02), (0.183, 0.191)),
        },
        "hypothyroid": {
            "LicketySPLIT": ((1.13, 1.3), (0.004, 0.005)),
            "SPLIT": ((1.18, 1.36), (0.004, 0.005)),
            "CART": ((0.0, 0.0), (0.009, 0.014)),
        },
        "covertype": {
            "LicketySPLIT": ((25.5, 25.75), (0.242, 0.244)),
            "SPLIT": ((25.62, 25.91), (0.242, 0.244)),
            "CART": ((0.68, 0.69), (0.266, 0.269)),
        },
        "netherlands": {
            "LicketySPLIT": ((2.31, 2.39), (0.285, 0.294)),
            "SPLIT": ((2.74, 3.06), (0.284, 0.294)),
            "CART": ((0.0, 0.0), (0.314, 0.338)),
        },
        "heloc": {
            "LicketySPLIT": ((1.2, 1.27), (0.284, 0.289)),
            "SPLIT": ((2.08, 2.53), (0.284, 0.289)),
            "CART": ((0.01, 0.01), (0.293, 0.299)),
        },
        "spambase": {
            "LicketySPLIT": ((0.88, 0.9), (0.094, 0.114)),
            "SPLIT": ((1.16, 1.19), (0.097, 0.111)),
            "CART": ((0.01, 0.01), (0.164, 0.207)),
        },
    },
    (7, 10): {
        "compas": {
            "LicketySPLIT": ((2.86, 2.98), (0.303, 0.321)),
            "SPLIT": ((2.91, 3.06), (0.302, 0.32)),
            "CART": ((0.0, 0.0), (0.325, 0.338)),
        },
        "bank": {
            "LicketySPLIT": ((0.48, 0.53), (0.103, 0.118)),
            "SPLIT": ((0.59, 0.68), (0.101, 0.117)),
            "CART": ((0.0, 0.0), (0.106, 0.123)),
        },
        "bike": {
            "LicketySPLIT": ((2.7, 2.84), (0.123, 0.125)),
            "SPLIT": ((4.06, 4.78), (0.127, 0.134)),
            "CART": ((0.01, 0.01), (0.166, 0.238)),
        },
        "adult": {
            "LicketySPLIT": ((2.97, 3.22), (0.149, 0.154)),
            "SPLIT": ((3.95, 4.54), (0.149, 0.155)),
            "CART": ((0.03, 0.04), (0.165, 0.18)),
        },
        "hypothyroid": {
            "LicketySPLIT": ((1.13, 1.3), (0.003, 0.005)),
            "SPLIT": ((1.2, 1.38), (0.003, 0.005)),
            "CART": ((0.0, 0.0), (0.002, 0.004)),
        },
        "covertype": {
            "LicketySPLIT": ((25.5, 25.74), (0.24, 0.243)),
            "SPLIT": ((26.57, 26.92), (0.239, 0.242)),
            "CART": ((0.99, 1.0), (0.254, 0.256)),
        },
        "netherlands": {
            "LicketySPLIT": ((2.31, 2.41), (0.282, 0.293)),
            "SPLIT": ((2.79, 3.12), (0.282, 0.293)),
            "CART": ((0.0, 0.0), (0.297, 0.314)),
        },
        "heloc": {
            "LicketySPLIT": ((1.21, 1.27), (0.284, 0.293)),
            "SPLIT": ((2.18, 2.42), (0.282, 0.293)),
            "CART": ((0.0, 0.0), (0.291, 0.327)),
        },
        "spambase": {
            "LicketySPLIT": ((0.89, 0.91), (0.085, 0.096)),
            "SPLIT": ((1.36, 1.52), (0.085, 0.098)),
            "CART": ((0.02, 0.02), (0.114, 0.141)),
        },
    },
    (11, 14): {
        "compas": {"SPLIT": ((2.92, 3.08), (0.302, 0.316)), "CART": ((0.0, 0.0), (0.318, 0.333))},
        "bank": {
            "LicketySPLIT": ((0.49, 0.53), (0.099, 0.116)),
            "SPLIT": ((0.59, 0.69), (0.1, 0.118)),
            "CART": ((0.0, 0.0), (0.104, 0.119)),
        },
        "bike": {
            "LicketySPLIT": ((2.7, 2.83), (0.114, 0.123)),
            "SPLIT": ((4.4, 5.14), (0.121, 0.129)),
            "CART": ((0.02, 0.02), (0.13, 0.139)),
        },
        "adult": {
            "LicketySPLIT": ((2.97, 3.22), (0.148, 0.155)),
            "SPLIT": ((4.09, 4.79), (0.148, 0.154)),
            "CART": ((0.04, 0.04), (0.154, 0.161)),
        },
        "netherlands": {
            "LicketySPLIT": ((2.32, 2.42), (0.283, 0.291)),
            "SPLIT": ((2.89, 3.22), (0.282, 0.291)),
            "CART": ((0.0, 0.0), (0.293, 0.309)),
        },
        "heloc": {
            "LicketySPLIT": ((1.23, 1.29), (0.281, 0.292)),
            "SPLIT": ((2.41, 2.73), (0.286, 0.297)),
            "CART": ((0.02, 0.02), (0.298, 0.306)),
        },
        "spambase": {
            "LicketySPLIT": ((0.89, 0.92), (0.086, 0.094)),
            "SPLIT": ((1.5, 1.65), (0.081, 0.093)),
            "CART": ((0.02, 0.02), (0.114, 0.136)),
        },
    },
    (15, 30): {
        "compas": {
            "LicketySPLIT": ((2.99, 3.23), (0.305, 0.325)),
            "SPLIT": ((2.76, 3.32), (0.304, 0.314)),
            "CART": ((0.0, 0.0), (0.307, 0.324)),
        },
        "bank": {
            "LicketySPLIT": ((0.52, 0.57), (0.102, 0.116)),
            "SPLIT": ((0.63, 0.75), (0.102, 0.118)),
            "CART": ((0.01, 0.01), (0.098, 0.112)),
        },
        "bike": {
            "LicketySPLIT": ((2.72, 2.94), (0.114, 0.122)),
            "CART": ((0.02, 0.03), (0.122, 0.13)),
        },
        "adult": {
            "LicketySPLIT": ((2.9, 3.36), (0.146, 0.151)),
            "SPLIT": ((4.29, 5.45), (0.148, 0.153)),
            "CART": ((0.02, 0.03), (0.152, 0.157)),
        },
        "netherlands": {
            "LicketySPLIT": ((2.33, 2.72), (0.282, 0.291)),
            "SPLIT": ((2.97, 3.45), (0.284, 0.291)),
            "CART": ((0.01, 0.01), (0.293, 0.306)),
        },
        "heloc": {
            "LicketySPLIT": ((1.25, 1.44), (0.285, 0.295)),
            "SPLIT": ((2.31, 2.63), (0.286, 0.301)),
            "CART": ((0.02, 0.02), (0.29, 0.299)),
        },
        "spambase": {
            "LicketySPLIT": ((0.91, 0.96), (0.081, 0.088)),
            "SPLIT": ((1.46, 1.57), (0.081, 0.093)),
            "CART": ((0.02, 0.02), (0.082, 0.103)),
        },
    },
}

# The same tables: 95 % intervals of the time of binarization.
BINARIZATION: dict[str, Interval] = {
    "compas": (2.69, 2.91),
    "bank": (0.37, 0.41),
    "bike": (2.20, 2.32),
    "adult": (2.26, 2.74),
    "hypothyroid": (0.99, 1.32),
    "covertype": (19.49, 20.00),
    "netherlands": (1.92, 2.04),
    "heloc": (0.89, 1.01),
    "spambase": (0.70, 0.73),
}

# Table "Comparing CART and SPLIT/LicketySPLIT for non sparse trees": leaves.
NON_SPARSE_LEAVES: dict[str, dict[str, Interval]] = {
    "compas": {"LicketySPLIT": (14.2, 17.2), "SPLIT": (13.6, 16.0), "CART": (28.6, 30.8)},
    "bank": {"LicketySPLIT": (20.2, 23.8), "SPLIT": (15.2, 16.0), "CART": (16.6, 17.8)},
    "bike": {"LicketySPLIT": (17.8, 19.6), "CART": (27.6, 28.2)},
    "adult": {"LicketySPLIT": (19.8, 21.4), "SPLIT": (15.2, 16.0), "CART": (22.6, 23.2)},
    "netherlands": {"LicketySPLIT": (15.4, 18.4), "SPLIT": (13.4, 15.2), "CART": (18.6, 20.2)},
    "heloc": {"LicketySPLIT": (18.0, 23.0), "SPLIT": (14.4, 16.4), "CART": (21.4, 23.2)},
    "spambase": {"LicketySPLIT": (24.4, 25.6), "SPLIT": (14.0, 15.8), "CART": (20.0, 23.2)},
}

# Table "SPLIT/LicketySPLIT for non-sparse trees", lambda 1e-5: leaves, time, test loss.
CHEAP: dict[str, tuple[Interval, Interval, Interval]] = {
    "bank": ((20.2, 23.8), (0.52, 0.56), (0.102, 0.116)),
    "bike": ((17.8, 19.6), (2.8, 2.92), (0.114, 0.122)),
    "adult": ((19.8, 21.4), (3.18, 3.4), (0.146, 0.151)),
    "netherlands": ((15.4, 18.4), (2.34, 2.43), (0.282, 0.292)),
    "heloc": ((18.0, 23.0), (1.24, 1.3), (0.286, 0.295)),
    "spambase": ((24.4, 25.6), (0.88, 0.91), (0.081, 0.088)),
}

# Tables "Comparison between CART (with binary features) and CART (with cont features)": test loss.
CART: dict[tuple[int, int], dict[str, dict[str, Interval]]] = {
    (3, 6): {
        "compas": {"CART, binary": (0.325, 0.352), "CART": (0.322, 0.354)},
        "bank": {"CART, binary": (0.106, 0.122), "CART": (0.106, 0.123)},
        "bike": {"CART, binary": (0.208, 0.215), "CART": (0.208, 0.215)},
        "adult": {"CART, binary": (0.168, 0.197), "CART": (0.183, 0.191)},
        "hypothyroid": {"CART, binary": (0.009, 0.014), "CART": (0.009, 0.014)},
        "covertype": {"CART, binary": (0.253, 0.256), "CART": (0.266, 0.269)},
        "netherlands": {"CART, binary": (0.332, 0.342), "CART": (0.314, 0.338)},
        "heloc": {"CART, binary": (0.293, 0.299), "CART": (0.293, 0.299)},
        "spambase": {"CART, binary": (0.156, 0.208), "CART": (0.164, 0.207)},
    },
    (7, 10): {
        "compas": {"CART, binary": (0.3197, 0.3388), "CART": (0.3253, 0.3385)},
        "bank": {"CART, binary": (0.1109, 0.1193), "CART": (0.1061, 0.1227)},
        "bike": {"CART, binary": (0.1718, 0.1911), "CART": (0.1661, 0.238)},
        "adult": {"CART, binary": (0.1647, 0.1803), "CART": (0.1647, 0.1803)},
        "hypothyroid": {"CART, binary": (0.003, 0.0053), "CART": (0.0015, 0.0042)},
        "covertype": {"CART, binary": (0.2501, 0.2557), "CART": (0.254, 0.256)},
        "netherlands": {"CART, binary": (0.3323, 0.359), "CART": (0.2966, 0.3137)},
        "heloc": {"CART, binary": (0.2895, 0.3015), "CART": (0.2926, 0.299)},
        "spambase": {"CART, binary": (0.1101, 0.1407), "CART": (0.1142, 0.1409)},
    },
    (11, 14): {
        "compas": {"CART, binary": (0.3179, 0.3334), "CART": (0.3176, 0.3334)},
        "bank": {"CART, binary": (0.1087, 0.1176), "CART": (0.1045, 0.1193)},
        "bike": {"CART, binary": (0.1288, 0.1354), "CART": (0.1296, 0.1387)},
        "adult": {"CART, binary": (0.1543, 0.1615), "CART": (0.1542, 0.1615)},
        "hypothyroid": {"CART, binary": (0.0045, 0.0083), "CART": (0.0023, 0.0045)},
        "covertype": {"CART, binary": (0.2485, 0.2537), "CART": (0.2529, 0.2554)},
        "netherlands": {"CART, binary": (0.3021, 0.3115), "CART": (0.2934, 0.309)},
        "heloc": {"CART, binary": (0.2961, 0.3047), "CART": (0.2983, 0.3057)},
        "spambase": {"CART, binary": (0.1064, 0.1416), "CART": (0.1144, 0.1359)},
    },
}

# Table "Comparison of Blossom and LicketySPLIT", LicketySPLIT's side: mean and interval of time,
# test loss and leaves at the lambda of minimum test loss.
BEST: dict[str, tuple[tuple[float, ...], ...]] = {
    "compas": ((0.334, 0.332, 0.336), (0.317, 0.305, 0.329), (8.0, 8.0, 8.0)),
    "adult": ((1.459, 1.453, 1.465), (0.177, 0.173, 0.181), (7.3, 6.4, 8.3)),
    "netherlands": ((0.627, 0.622, 0.632), (0.292, 0.288, 0.296), (7.7, 6.7, 8.6)),
    "heloc": ((0.51, 0.502, 0.518), (0.294, 0.286, 0.303), (7.0, 6.2, 7.8)),
    "spambase": ((0.487, 0.482, 0.492), (0.087, 0.085, 0.088), (13.7, 13.2, 14.1)),
    "bike": ((1.679, 1.633, 1.725), (0.121, 0.117, 0.125), (12.3, 11.9, 12.8)),
    "bank": ((0.353, 0.346, 0.36), (0.103, 0.098, 0.108), (9.0, 8.2, 9.8)),
    "hypothyroid": ((0.206, 0.198, 0.214), (0.001, 0.0, 0.002), (6.0, 6.0, 6.0)),
    "covertype": ((11.864, 11.577, 12.151), (0.242, 0.241, 0.243), (5.0, 5.0, 5.0)),
}


@dataclass(frozen=True)
class RashomonSets:
    """What the paper says of the Rashomon sets of a data set, all trees and RESPLIT's."""

    columns: int  # yes/no columns, less the label
    all_seconds: float  # of the sets of ten bootstraps
    resplit_seconds: float
    correlation: float
    precision: float
    trees: int  # of RESPLIT
    slack_precision: float  # with .01 more
    all_variance: Printed  # mean over rows of the variance of predictions, and its deviation
    resplit_variance: Printed


# Tables "advantages of RESPLIT", "Proportion of RESPLIT Trees in the true Rashomon set" and
# "Illustration of the predictive multiplicity". HIV is left out: its data are not public.
SETS = {
    "compas": RashomonSets(38, 152, 18, 1.0, 1.0, 27, 1.0, (0.2389, 0.0138), (0.2407, 0.0149)),
    "spambase": RashomonSets(
        77, 2659, 154, 0.930, 0.597, 1422, 0.933, (0.2359, 0.0055), (0.2284, 0.0037)
    ),
    "netherlands": RashomonSets(
        51, 4255, 216, 0.932, 0.911, 112, 1.0, (0.2017, 0.0190), (0.2187, 0.0122)
    ),
    "heloc": RashomonSets(
        46, 5564, 337, 0.979, 0.974, 542, 1.0, (0.2419, 0.0081), (0.2419, 0.0081)
    ),
    "bike": RashomonSets(
        98, 14330, 194, 0.999, 0.974, 380, 1.0, (0.2464, 0.0023), (0.2458, 0.0024)
    ),
}
