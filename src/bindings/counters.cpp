// A backend that counts for the level engine (core/search/level_counter.hpp), written in Python: on a GPU, for example.
//
// The protocol. `counter=` of a TreeRequest is called once with the packed table, and returns a counter:
//
//     open_counter(table: PackedRows) -> Counter
//     table.words                uint64[n_words, stride]: bit r of words[w, j] is row 64 * w + r in column j; for reading
//     table.runs                 [(channel, weight, begin, end), ...]: words begin to end - 1 hold rows that count so
//                                many in that channel; one row may stand in several runs
//     table.n_channels           int
//     table.n_columns            int: the features, and behind them the column of ones, which marks the rows there are.
//                                Columns of `words` from n_columns on are padding
//
//     Counter.count(paths)       paths: int32[n, length], a row for each path: literals 2 * column + 1 (has it) and
//                                2 * column (lacks it), -1 for none. Length may be 0: all rows.
//                                Returns int32[n, n_channels, n_columns], C-contiguous: for each path the weighted
//                                number of the rows that satisfy all its literals, in each channel, that have each
//                                column; the last column has their totals.
//     Counter.below(path)        path: int32[length]. Returns a Counter of the rows that satisfy it, whose paths go on from
//                                there and whose columns are the same; the old one may be asked again later.
//
// All are called with the interpreter's lock, by the thread that called solve. An exception ends the solve and is
// raised there.
