// Boosted questions: those of a slow and plain oracle, whatever the threads, the weights and the limits.
#include "boost.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "data.hpp"

namespace splitsecond {
namespace {

double real(Random& random) { return static_cast<double>(random.word() >> 11) * 0x1p-53; }

struct Column {
    std::vector<std::uint16_t> bins;
    std::uint32_t n_bins = 1;
    std::uint32_t n_values = 1;
    std::uint32_t first = 0;
    bool ordered = true;
    bool ask_if_blank = false;
};

struct Case {
    std::vector<Column> columns;
    std::vector<std::int32_t> classes;
    std::size_t n_classes = 2;
    std::vector<double> weights;  // empty: all 1

    std::size_t n_rows() const { return classes.size(); }
    double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
    double total_weight() const {
        double total = 0;
        for (std::size_t row = 0; row < n_rows(); ++row) total += weight(row);
        return total;
    }
    bool answer(std::uint32_t column, std::uint32_t question, std::size_t row) const {
        const Column& asked = columns[column];
        const std::uint32_t bin = asked.bins[row];
        return asked.ordered && question < asked.n_values ? bin <= question : bin == question;
    }
    std::vector<BinnedColumn> views() const {
        std::vector<BinnedColumn> out;
        for (const Column& column : columns)
            out.push_back({column.bins.data(), column.n_bins, column.n_values, column.first, column.ordered,
                           column.ask_if_blank});
        return out;
    }
};

std::vector<Question> boosted(const Case& problem, const BoostOptions& options, Limits& limits) {
    return boost(problem.views(), problem.n_rows(), problem.classes.data(), problem.n_classes,
                 problem.weights.empty() ? nullptr : problem.weights.data(), options, limits);
}

std::vector<Question> boosted(const Case& problem, const BoostOptions& options) {
    Limits limits;
    std::vector<Question> out = boosted(problem, options, limits);
    CHECK(!limits.stopped());
    return out;
}

// ---- random problems ------------------------------------------------------------------------------

struct Wanted {
    std::size_t n_rows;
    std::size_t n_columns;
    std::size_t n_classes = 2;
    bool weighted = false;
};

Column random_column(Random& random, std::size_t n_rows) {
    Column column;
    column.ordered = random.chance(65);
    column.n_values = static_cast<std::uint32_t>(random.one_of<std::size_t>({2, 3, 5, 9, 40}));
    if (random.chance(25)) column.first = static_cast<std::uint32_t>(random.below(column.n_values - 1));
    column.ask_if_blank = random.chance(40);
    const std::uint32_t others = random.chance(30) ? 2 : 0;  // bins nobody may ask for
    column.n_bins = column.n_values + others + (column.ask_if_blank ? 1 : 0);
    const bool sparse = random.chance(40);
    const auto frequent = static_cast<std::uint16_t>(random.below(column.n_bins));
    for (std::size_t row = 0; row < n_rows; ++row)
        column.bins.push_back(
            sparse && random.chance(85) ? frequent : static_cast<std::uint16_t>(random.below(column.n_bins)));
    return column;
}

// Every bin of every column speaks for or against every class, and chance has its say.
Case make_problem(Random& random, const Wanted& wanted) {
    Case problem;
    problem.n_classes = wanted.n_classes;
    for (std::size_t c = 0; c < wanted.n_columns; ++c)
        problem.columns.push_back(random_column(random, wanted.n_rows));
    std::vector<std::vector<double>> effects;  // [column][bin, class]
    for (const Column& column : problem.columns) {
        effects.emplace_back();
        for (std::size_t i = 0; i < column.n_bins * wanted.n_classes; ++i)
            effects.back().push_back(2 * real(random) - 1);
    }
    for (std::size_t row = 0; row < wanted.n_rows; ++row) {
        std::size_t best = 0;
        double most = -1e9;
        for (std::size_t k = 0; k < wanted.n_classes; ++k) {
            double score = 2 * real(random);
            for (std::size_t c = 0; c < wanted.n_columns; ++c)
                score += effects[c][problem.columns[c].bins[row] * wanted.n_classes + k];
            if (score > most) most = score, best = k;
        }
        problem.classes.push_back(static_cast<std::int32_t>(best));
        if (wanted.weighted) problem.weights.push_back(random.chance(15) ? 0 : 3 * real(random));
    }
    return problem;
}

// ---- the oracle -----------------------------------------------------------------------------------

// Gradient boosting as Friedman wrote it down: rows one by one, in double precision.
class Oracle {
public:
    Oracle(const Case& problem, std::size_t max_depth, double learning_rate)
        : problem_(problem), max_depth_(max_depth), rate_(learning_rate), total_(problem.total_weight()) {
        const std::size_t n_outputs = problem.n_classes == 2 ? 1 : problem.n_classes;
        for (std::size_t k = 0; k < n_outputs; ++k) {
            double inside = 0;
            for (std::size_t row = 0; row < problem.n_rows(); ++row)
                if (is_class(row, k, n_outputs)) inside += problem.weight(row);
            const double share = std::clamp(inside / total_, 1e-6, 1 - 1e-6);
            scores_.emplace_back(problem.n_rows(), std::log(n_outputs == 1 ? share / (1 - share) : share));
        }
        for (std::uint32_t c = 0; c < problem.columns.size(); ++c) {
            const Column& column = problem.columns[c];
            const std::uint32_t end = column.ordered ? column.n_values - 1 : column.n_values;
            for (std::uint32_t bin = column.first; bin < end; ++bin) all_.push_back({c, bin, 0});
            if (column.ask_if_blank) all_.push_back({c, column.n_bins - 1, 0});
        }
    }

    // False where the best question is not clearly the best: another may do as well for the product.
    bool round() {
        std::vector<std::vector<double>> chances(scores_.size(), std::vector<double>(problem_.n_rows()));
        for (std::size_t row = 0; row < problem_.n_rows(); ++row) {
            double sum = scores_.size() == 1 ? 1 : 0;  // the other class of two
            for (const auto& score : scores_) sum += std::exp(score[row]);
            for (std::size_t k = 0; k < scores_.size(); ++k)
                chances[k][row] = std::exp(scores_[k][row]) / sum;
        }
        learned = false;
        for (std::size_t k = 0; k < scores_.size(); ++k)
            if (!grow(k, chances[k])) return false;
        return true;
    }

    std::vector<Question> questions;
    bool learned = false;

private:
    using Rows = std::vector<std::size_t>;

    bool is_class(std::size_t row, std::size_t k, std::size_t n_outputs) const {
        return problem_.classes[row] == static_cast<std::int32_t>(n_outputs == 1 ? 1 : k);
    }

    bool grow(std::size_t k, const std::vector<double>& chances) {
        std::vector<double> missed(problem_.n_rows());
        Rows everyone;
        for (std::size_t row = 0; row < problem_.n_rows(); ++row) {
            missed[row] = (is_class(row, k, scores_.size()) ? 1 : 0) - chances[row];
            everyone.push_back(row);
        }
        std::vector<Rows> nodes{everyone};
        for (std::size_t level = 0; level < max_depth_; ++level) {
            std::vector<Rows> children;
            for (const Rows& rows : nodes) {
                const Question* best = nullptr;
                if (!choose(rows, missed, best)) return false;
                Rows yes, no;
                for (const std::size_t row : rows)
                    (best == nullptr || problem_.answer(best->column, best->bin, row) ? yes : no)
                        .push_back(row);
                children.push_back(std::move(yes));
                children.push_back(std::move(no));
            }
            nodes = std::move(children);
        }
        for (const Rows& rows : nodes) {
            double slope = 0, curve = 1e-9 * total_;
            for (const std::size_t row : rows) {
                slope += problem_.weight(row) * missed[row];
                curve += problem_.weight(row) * chances[row] * (1 - chances[row]);
            }
            for (const std::size_t row : rows) scores_[k][row] += rate_ * slope / curve;
        }
        return true;
    }

    // Friedman's improvement: what two means explain better than one.
    double gain(const Rows& rows, const std::vector<double>& missed, const Question& question) const {
        double sum[2] = {0, 0}, weight[2] = {0, 0};
        for (const std::size_t row : rows) {
            const int side = problem_.answer(question.column, question.bin, row) ? 1 : 0;
            sum[side] += problem_.weight(row) * missed[row];
            weight[side] += problem_.weight(row);
        }
        if (weight[0] <= 0 || weight[1] <= 0) return 0;
        const double difference = sum[0] / weight[0] - sum[1] / weight[1];
        return weight[0] * weight[1] / (weight[0] + weight[1]) * difference * difference;
    }

    bool same_halves(const Rows& rows, const Question& a, const Question& b) const {
        int equal = -1;
        for (const std::size_t row : rows) {
            if (problem_.weight(row) <= 0) continue;
            const int now =
                problem_.answer(a.column, a.bin, row) == problem_.answer(b.column, b.bin, row) ? 1 : 0;
            if (equal >= 0 && now != equal) return false;
            equal = now;
        }
        return true;
    }

    bool choose(const Rows& rows, const std::vector<double>& missed, const Question*& best) {
        std::vector<double> gains;
        for (const Question& question : all_) gains.push_back(gain(rows, missed, question));
        const double most = gains.empty() ? 0 : *std::max_element(gains.begin(), gains.end());
        if (most <= 1e-13 * total_) return true;  // nothing to ask
        if (most <= 1e-5 * total_) return false;  // the product's chances have 24 bits
        double chosen = 0;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (gains[i] < most * (1 - 1e-4)) continue;
            if (best == nullptr)
                best = &all_[i], chosen = gains[i];
            else if (!same_halves(rows, *best, all_[i]))
                return false;
        }
        learned = true;
        for (Question& known : questions)
            if (known.column == best->column && known.bin == best->bin) {
                known.gain += chosen;
                return true;
            }
        questions.push_back({best->column, best->bin, chosen});
        return true;
    }

    const Case& problem_;
    const std::size_t max_depth_;
    const double rate_;
    const double total_;
    std::vector<std::vector<double>> scores_;  // [output][row]
    std::vector<Question> all_;
};

void check_same(const std::vector<Question>& found, const std::vector<Question>& expected, double tolerance) {
    CHECK_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
        const check::Context context("question ", i);
        CHECK_EQ(found[i].column, expected[i].column);
        CHECK_EQ(found[i].bin, expected[i].bin);
        CHECK_LE(std::abs(found[i].gain - expected[i].gain), tolerance * std::abs(expected[i].gain));
    }
}

// Returns how many rounds could be compared.
std::size_t test_oracle(const Case& problem, std::size_t max_depth, double learning_rate,
                        std::size_t rounds) {
    Oracle oracle(problem, max_depth, learning_rate);
    for (std::size_t round = 1; round <= rounds; ++round) {
        const check::Context context("round ", round, ", depth ", max_depth, ", rate ", learning_rate);
        if (!oracle.round()) return round - 1;
        check_same(
            boosted(problem, {.rounds = round, .max_depth = max_depth, .learning_rate = learning_rate}),
            oracle.questions, 2e-4);
        if (!oracle.learned) return rounds;
    }
    return rounds;
}

void test_oracle_small() {
    std::size_t compared = 0, wanted = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const std::size_t n_rows = random.between(150, 900), n_columns = random.between(1, 6);
        const std::size_t n_classes = random.one_of<std::size_t>({2, 2, 3, 5}), depth = 1 + seed % 3;
        const check::Context context("seed ", seed, ", ", n_rows, " rows, ", n_classes, " classes");
        const Case problem = make_problem(random, {.n_rows = n_rows,
                                                   .n_columns = n_columns,
                                                   .n_classes = n_classes,
                                                   .weighted = random.chance(40)});
        compared += test_oracle(problem, depth, random.one_of<double>({0.1, 0.3, 1.0}), 6);
        wanted += 6;
    }
    CHECK_LE(wanted / 2, compared);
}

void test_oracle_sliced() {
    std::size_t compared = 0;
    for (const std::size_t n_classes : {2, 3}) {
        Random random(n_classes);
        const Case problem = make_problem(
            random, {.n_rows = 33000, .n_columns = 4, .n_classes = n_classes, .weighted = n_classes == 3});
        for (std::size_t depth = 1; depth <= 3; ++depth) compared += test_oracle(problem, depth, 0.5, 3);
    }
    CHECK_LE(9u, compared);
}

// ---- what must not matter -------------------------------------------------------------------------

void check_identical(const std::vector<Question>& found, const std::vector<Question>& expected) {
    check_same(found, expected, 0);  // bit for bit, gains too
}

void test_threads(std::size_t n_rows, std::size_t n_classes, std::size_t depth) {
    const check::Context context(n_rows, " rows, ", n_classes, " classes, depth ", depth);
    Random random(n_rows + n_classes + depth);
    const Case problem = make_problem(
        random, {.n_rows = n_rows, .n_columns = 6, .n_classes = n_classes, .weighted = depth == 2});
    BoostOptions options{.rounds = 4, .max_depth = depth};
    const std::vector<Question> one = boosted(problem, options);
    CHECK_LT(0u, one.size());
    for (const std::size_t n_threads : {0, 2, 3, 8}) {
        const check::Context threads(n_threads, " threads");
        options.n_threads = n_threads;
        check_identical(boosted(problem, options), one);
    }
}

void test_weights_are_repetitions(std::uint64_t seed) {
    Random random(seed);
    const std::size_t depth = 1 + seed % 3;
    Case weighted = make_problem(
        random, {.n_rows = 800, .n_columns = 5, .n_classes = random.between(2, 4), .weighted = true});
    Case repeated = weighted;
    repeated.classes.clear();
    repeated.weights.clear();
    for (Column& column : repeated.columns) column.bins.clear();
    for (std::size_t row = 0; row < weighted.n_rows(); ++row) {
        const std::size_t times = random.below(4);
        weighted.weights[row] = static_cast<double>(times);
        repeated.classes.insert(repeated.classes.end(), times, weighted.classes[row]);
        for (std::size_t c = 0; c < weighted.columns.size(); ++c)
            repeated.columns[c].bins.insert(repeated.columns[c].bins.end(), times,
                                            weighted.columns[c].bins[row]);
    }
    const check::Context context("seed ", seed);
    const BoostOptions options{.rounds = 6, .max_depth = depth};
    check_same(boosted(weighted, options), boosted(repeated, options), 1e-4);
}

// Weights count relative to each other, however large or small they are.
void test_scale_of_weights(std::uint64_t seed) {
    Random random(seed);
    Case problem =
        make_problem(random, {.n_rows = 500, .n_columns = 4, .n_classes = 2 + seed % 2, .weighted = true});
    const BoostOptions options{.rounds = 10, .max_depth = 1 + seed % 2};
    const std::vector<Question> expected = boosted(problem, options);
    CHECK_LT(0u, expected.size());
    const std::vector<double> weights = problem.weights;
    for (const double scale : {0x1p-900, 0x1p-1, 0x1p20, 0x1p1000, 1e300, 1e-300, 1e-305, 3.0}) {
        const check::Context context("seed ", seed, ", scale ", scale);
        for (std::size_t row = 0; row < weights.size(); ++row) problem.weights[row] = scale * weights[row];
        std::vector<Question> found = boosted(problem, options);
        for (Question& question : found) question.gain /= scale;
        int exponent = 0;
        const bool exact = std::frexp(scale, &exponent) == 0.5;
        check_same(found, expected, exact ? 0 : 1e-4);
    }
}

void test_extreme_weights() {
    constexpr double kMost = std::numeric_limits<double>::max();
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    Random random(1);
    Case problem = make_problem(random, {.n_rows = 300, .n_columns = 3});
    const std::vector<Question> expected = boosted(problem, {.rounds = 5});
    for (const double weight : {kMost, 1e300, 1e-300, 1e-310, kLeast}) {
        const check::Context context("weight ", weight);
        problem.weights.assign(300, weight);
        std::vector<Question> found = boosted(problem, {.rounds = 5});
        CHECK_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
            CHECK_EQ(found[i].column, expected[i].column);
            CHECK_EQ(found[i].bin, expected[i].bin);
            CHECK(!std::isnan(found[i].gain));
        }
    }
    problem.weights[7] = std::numeric_limits<double>::infinity();  // not allowed, but no harm
    CHECK(boosted(problem, {.rounds = 5}).empty());
    problem.weights.assign(300, 0);
    CHECK(boosted(problem, {.rounds = 5}).empty());
    for (std::size_t row = 0; row < 300; ++row)
        problem.weights[row] = random.one_of<double>({0, 1e300, 1e-300, 1, 1e-12});
    for (const Question& question : boosted(problem, {.rounds = 50, .max_depth = 3})) {
        CHECK(std::isfinite(question.gain));
        CHECK_LT(0.0, question.gain);
    }
}

// Rows of no weight might as well not be there.
void test_zero_weights(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    Case problem = make_problem(random, {.n_rows = 600, .n_columns = 4, .weighted = true});
    const BoostOptions options{.rounds = 10, .max_depth = 2};
    const std::vector<Question> expected = boosted(problem, options);
    for (std::size_t row = 0; row < problem.n_rows(); ++row)
        if (problem.weights[row] <= 0) {
            problem.classes[row] = static_cast<std::int32_t>(random.below(2));
            for (Column& column : problem.columns)
                column.bins[row] = static_cast<std::uint16_t>(random.below(column.n_bins));
        }
    check_same(boosted(problem, options), expected, 1e-9);
}

// The rows of a frequent bin, which is asked for by no question of its own, or by one with the bin before it:
// spread over several bins they are no longer kept as "all the others".
void test_sparse_is_dense(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    const std::size_t n_rows = random.one_of<std::size_t>({700, 33000});
    Case sparse = make_problem(
        random, {.n_rows = n_rows, .n_columns = 4, .n_classes = 2 + seed % 2, .weighted = random.chance(50)});
    std::vector<std::uint32_t> shift;
    Case dense = sparse;
    for (std::size_t c = 0; c < 4; ++c) {
        const bool ordered = random.chance(50), bottom = ordered && random.chance(50);
        const auto n_values = static_cast<std::uint32_t>(random.between(3, 8));
        Column few{{}, n_values + (ordered ? 0 : 1), n_values, 0, ordered, false};
        Column many = few;
        const auto frequent = static_cast<std::uint16_t>(bottom ? 0 : few.n_bins - 1);
        many.n_bins += 5;
        if (bottom) many.n_values += 5, many.first = 5;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto other = static_cast<std::uint16_t>(
                sparse.classes[row] == 0 ? random.below(few.n_bins) : random.below(few.n_bins - 1));
            few.bins.push_back(random.chance(80) ? frequent : other);
            const std::size_t extra = few.bins.back() == frequent ? random.below(6) : bottom ? 5 : 0;
            many.bins.push_back(static_cast<std::uint16_t>(few.bins.back() + extra));
        }
        shift.push_back(bottom ? 5 : 0);
        sparse.columns[c] = few;
        dense.columns[c] = many;
    }
    for (const std::size_t depth : {1, 3}) {
        const BoostOptions options{.rounds = 6, .max_depth = depth};
        std::vector<Question> found = boosted(dense, options);
        for (Question& question : found) question.bin -= shift[question.column];
        const std::vector<Question> expected = boosted(sparse, options);
        CHECK_LT(0u, expected.size());
        check_same(found, expected, 1e-6);
    }
}

// ---- which questions are asked ----------------------------------------------------------------------

void test_only_allowed(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    const Case problem =
        make_problem(random, {.n_rows = 200, .n_columns = 5, .n_classes = random.between(2, 3)});
    const std::vector<Question> found = boosted(problem, {.rounds = 60, .max_depth = 1 + seed % 4});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const Question& question : found) {
        const Column& column = problem.columns[question.column];
        const bool blank = column.ask_if_blank && question.bin == column.n_bins - 1;
        const bool value =
            question.bin >= column.first && question.bin + (column.ordered ? 1 : 0) < column.n_values;
        CHECK(blank || value);
        CHECK_LT(0.0, question.gain);
        seen.emplace_back(question.column, question.bin);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

void test_first_and_blank() {
    // The class is bin 0; bin 2 is blank and says nearly the same.
    Case problem;
    Column column{{}, 3, 2, 0, true, false};
    for (int i = 0; i < 100; ++i) {
        column.bins.push_back(static_cast<std::uint16_t>(i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : 2));
        problem.classes.push_back(i % 4 <= 1 ? 1 : i == 3 ? 1 : 0);
    }
    problem.columns = {column};
    const auto asked = [&] {
        std::vector<std::uint32_t> bins;
        for (const Question& question : boosted(problem, {.rounds = 1})) bins.push_back(question.bin);
        return bins;
    };
    CHECK(asked() == std::vector<std::uint32_t>{0});  // the best it may ask
    problem.columns[0].ask_if_blank = true;
    CHECK(asked() == std::vector<std::uint32_t>{2});
    problem.columns[0].ask_if_blank = false;
    problem.columns[0].first = 1;
    CHECK(asked().empty());
    problem.columns[0].ordered = false;
    CHECK(asked() == std::vector<std::uint32_t>{1});
    problem.columns[0].n_values = 0;
    problem.columns[0].first = 0;
    CHECK(asked().empty());
    problem.columns[0].ask_if_blank = true;
    CHECK(asked() == std::vector<std::uint32_t>{2});
    for (const bool ordered : {false, true}) {
        problem.columns[0] = column;
        problem.columns[0].ordered = ordered;
        problem.columns[0].n_values = 3;  // no bin is left for blanks
        problem.columns[0].ask_if_blank = true;
        CHECK(asked() == std::vector<std::uint32_t>{ordered ? 1u : 2u});
    }
}

// Of equal questions the first: in the first column, of the lowest bin.
void test_ties() {
    Case problem;
    Column column{{}, 5, 5, 0, true, false};
    for (int i = 0; i < 60; ++i) {
        column.bins.push_back(i % 2 == 0 ? 1 : 3);  // bins 1 and 2 ask the same; no row is in 0, 2 and 4
        problem.classes.push_back(i % 2);
    }
    problem.classes[7] = 0;
    problem.columns = {column, column};
    const std::vector<Question> found = boosted(problem, {.rounds = 30, .max_depth = 2});
    CHECK_EQ(found.size(), 1u);
    CHECK_EQ(found.at(0).column, 0u);
    CHECK_EQ(found.at(0).bin, 1u);
}

void test_wanted() {
    Random random(3);
    Case problem = make_problem(random, {.n_rows = 500, .n_columns = 6});
    for (Column& column : problem.columns) {  // many questions, all of some use
        column = {{}, 40, 40, 0, true, false};
        for (std::size_t row = 0; row < 500; ++row)
            column.bins.push_back(static_cast<std::uint16_t>(random.below(40)));
    }
    const auto count = [&](std::size_t rounds, std::size_t wanted) {
        return boosted(problem, {.rounds = rounds, .learning_rate = 1, .wanted = wanted}).size();
    };
    const std::size_t few = count(5, 0), most = count(50, 0);
    CHECK_LT(few + 1, most);
    CHECK_EQ(count(5, few), few);
    CHECK_EQ(count(5, few + 1), few + 1);
    CHECK_EQ(count(5, 1000), most);  // ten times the rounds
    CHECK(boosted(problem, {.rounds = 0}).empty());
    CHECK(boosted(problem, {.rounds = 0, .wanted = 10}).empty());
}

void test_deep() {
    Random random(4);
    for (const std::size_t n_rows : {200, 33000}) {
        const Case problem = make_problem(random, {.n_rows = n_rows, .n_columns = 6, .n_classes = 3});
        for (const Question& question : boosted(problem, {.rounds = 2, .max_depth = 7, .n_threads = 2}))
            CHECK(std::isfinite(question.gain) && question.gain > 0);
    }
}

// ---- limits ---------------------------------------------------------------------------------------

void test_deadline_in_the_past(const Case& problem) {
    for (const std::size_t n_threads : {1, 3}) {
        Limits limits(0);
        CHECK(boosted(problem, {.max_depth = 2, .n_threads = n_threads}, limits).empty());
        CHECK(limits.reason() == Status::time_limit);
    }
}

void test_memory_budgets(const Case& problem) {
    const BoostOptions options{.rounds = 3, .max_depth = 2, .n_threads = 2};
    constexpr std::size_t kPlenty = std::size_t{1} << 40;
    Limits plenty(Limits::kNoDeadline, kPlenty);
    const std::vector<Question> whole = boosted(problem, options, plenty);
    plenty.charge(kPlenty);  // throws unless everything was given back
    Limits none;
    boosted(problem, options, none);
    const std::size_t peak = none.peak_bytes();
    CHECK_LT(problem.n_rows(), peak);
    for (std::size_t i = 0; i <= 22; ++i) {
        const std::size_t budget = i == 21 ? 1 : i == 22 ? peak - 1 : peak * i / 20;
        const check::Context context("budget ", budget, " of ", peak);
        Limits limits(Limits::kNoDeadline, budget);
        const std::vector<Question> found = boosted(problem, options, limits);
        CHECK_EQ(limits.reason() == Status::complete, budget >= peak);
        if (budget >= peak) {
            check_identical(found, whole);
        } else {
            CHECK(limits.reason() == Status::memory_limit);
            CHECK(found.empty());
        }
        limits.charge(budget);
    }
}

// What was found before the interrupt is what would have been found first anyway.
void test_interrupts(const Case& problem, std::size_t n_threads) {
    for (std::size_t k = 1; k <= 3; ++k) {
        const check::Context context("interrupt at question ", k, ", ", n_threads, " threads");
        std::size_t asked = 0;
        Limits limits(Limits::kNoDeadline, Limits::kNoBudget, [&](const Limits&) { return ++asked == k; });
        BoostOptions options{.rounds = 1'000'000'000, .n_threads = n_threads};
        const std::vector<Question> found = boosted(problem, options, limits);
        CHECK(limits.reason() == Status::interrupted);
        CHECK_EQ(asked, k);
        if (problem.n_rows() < 10000)
            CHECK_LT(0u, found.size());  // a round takes less than until the question
        options.rounds = 20;
        const std::vector<Question> start = boosted(problem, options);
        for (std::size_t i = 0; i < std::min(found.size(), start.size()); ++i) {
            CHECK_EQ(found[i].column, start[i].column);
            CHECK_EQ(found[i].bin, start[i].bin);
        }
    }
}

// So many rounds that ten times as many have no number.
void test_endless_rounds(const Case& problem) {
    for (const std::size_t rounds : {std::size_t{1} << 63, SIZE_MAX}) {
        Limits limits(0.05);
        CHECK_LT(0u, boosted(problem, {.rounds = rounds, .wanted = 1}, limits).size());
        CHECK(limits.reason() == Status::time_limit);
    }
}

// ---- degenerate -----------------------------------------------------------------------------------

void test_degenerate() {
    Random random(5);
    for (const std::size_t n_classes : {2, 3})
        for (const std::size_t depth : {1, 2, 7}) {
            const check::Context context(n_classes, " classes, depth ", depth);
            const BoostOptions options{.rounds = 20, .max_depth = depth, .wanted = 5, .n_threads = 2};
            const Case problem =
                make_problem(random, {.n_rows = 100, .n_columns = 3, .n_classes = n_classes});

            Case no_columns = problem;
            no_columns.columns.clear();
            CHECK(boosted(no_columns, options).empty());

            Case no_rows = problem;
            no_rows.classes.clear();
            CHECK(boosted(no_rows, options).empty());

            const Case one_row = make_problem(random, {.n_rows = 1, .n_columns = 3, .n_classes = n_classes});
            CHECK(boosted(one_row, options).empty());

            for (std::int32_t k = 0; k < static_cast<std::int32_t>(n_classes); ++k) {
                Case one_class = problem;
                std::fill(one_class.classes.begin(), one_class.classes.end(), k);
                CHECK(boosted(one_class, options).empty());
            }
            Case no_classes = problem;
            std::fill(no_classes.classes.begin(), no_classes.classes.end(), 0);
            no_classes.n_classes = 1;
            CHECK(boosted(no_classes, options).empty());

            Case constant = problem;
            for (Column& column : constant.columns) std::fill(column.bins.begin(), column.bins.end(), 1);
            CHECK(boosted(constant, options).empty());

            Case one_bin = problem;
            for (Column& column : one_bin.columns)
                column = {std::vector<std::uint16_t>(100, 0), 1, 1, 0, true, false};
            CHECK(boosted(one_bin, options).empty());

            // The classes balance in every bin: no question explains anything.
            Case balanced = problem;
            for (std::size_t row = 0; row < 100; ++row) {
                balanced.classes[row] = static_cast<std::int32_t>(row % 2);
                for (Column& column : balanced.columns)
                    column.bins[row] = static_cast<std::uint16_t>(row / 2 % column.n_bins);
            }
            CHECK(boosted(balanced, options).empty());

            // One question tells all: nothing is left to learn, and no step goes astray.
            Case separable = problem;
            for (std::size_t row = 0; row < 100; ++row)
                separable.columns[0].bins[row] = static_cast<std::uint16_t>(row % 2);
            separable.columns[0].ordered = true;
            separable.columns[0].first = 0;
            separable.columns[0].n_values = 2;
            separable.columns.resize(1);
            for (std::size_t row = 0; row < 100; ++row)
                separable.classes[row] = static_cast<std::int32_t>(row % 2);
            for (const double rate : {0.1, 1.0, 100.0}) {
                const std::vector<Question> found = boosted(
                    separable, {.rounds = 3000, .max_depth = depth, .learning_rate = rate, .wanted = 2});
                CHECK_EQ(found.size(), 1u);
                CHECK(std::isfinite(found.at(0).gain));
            }
        }
}

// A rare class in rows that look like others: the Newton steps are as large as they get.
void test_large_steps() {
    Random random(6);
    for (const std::size_t n_classes : {2, 4}) {
        Case problem = make_problem(random, {.n_rows = 2000, .n_columns = 4, .n_classes = n_classes});
        std::fill(problem.classes.begin(), problem.classes.end(), 0);
        problem.classes[17] = problem.classes[1234] = 1;
        problem.weights.assign(2000, 1);
        problem.weights[17] = 1e-9;
        for (const double rate : {0.1, 1.0})
            for (const Question& question :
                 boosted(problem, {.rounds = 500, .max_depth = 3, .learning_rate = rate}))
                CHECK(std::isfinite(question.gain) && question.gain > 0);
    }
}

// Bins that take all 16 bits.
void test_most_bins() {
    Case problem;
    Column column{{}, 65536, 65535, 0, true, true};
    for (std::uint32_t row = 0; row < 65536; ++row) {
        column.bins.push_back(static_cast<std::uint16_t>(row));
        problem.classes.push_back(row <= 40000 ? 1 : 0);
    }
    for (const bool ordered : {true, false}) {
        problem.columns = {column};
        problem.columns[0].ordered = ordered;
        const std::vector<Question> found = boosted(problem, {.rounds = 2, .max_depth = 2, .n_threads = 2});
        CHECK_LT(0u, found.size());
        if (ordered) CHECK_EQ(found.at(0).bin, 40000u);
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_oracle_small();
    test_oracle_sliced();
    for (const std::size_t n_rows : {32767, 32769})  // one slice, and several
        for (const std::size_t n_classes : {2, 3})
            for (std::size_t depth = 1; depth <= 3; ++depth) test_threads(n_rows, n_classes, depth);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        test_weights_are_repetitions(seed);
        test_scale_of_weights(seed);
        test_zero_weights(seed);
        if (seed < 8) test_sparse_is_dense(seed);
        test_only_allowed(seed);
    }
    test_extreme_weights();
    test_first_and_blank();
    test_ties();
    test_wanted();
    test_deep();
    Random random(7);
    const Case large = make_problem(random, {.n_rows = 40000, .n_columns = 8, .n_classes = 3});
    const Case small = make_problem(random, {.n_rows = 3000, .n_columns = 5});
    test_deadline_in_the_past(large);
    test_memory_budgets(large);
    test_memory_budgets(small);
    for (const std::size_t n_threads : {1, 3}) {
        test_interrupts(large, n_threads);
        test_interrupts(small, n_threads);
    }
    test_endless_rounds(small);
    test_degenerate();
    test_large_steps();
    test_most_bins();
    return check::report();
}
