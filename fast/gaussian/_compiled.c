/* What fast/gaussian says of most arguments, compiled: the same operations in the same order.

   Every operation is one that IEEE 754 rounds correctly, so that a compiler that keeps to it (no
   contraction, no wider intermediate results) gives the same bits as the Python that the comments
   name, and what is proved of that holds of this. An element that is not in the tables' reach, or
   near the ends of float64, is left to Python, as NaN. The tables and constants come from there,
   once, by `load`. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "this needs the arithmetic of IEEE 754"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#ifdef VECTORS /* none, for a test */
#elif defined(__GLIBC__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define VECTORS __attribute__((target_clones("avx2", "default"))) /* chosen where it runs */
#else
#define VECTORS
#endif
#ifdef __GNUC__
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

typedef int64_t i64;
typedef uint64_t u64;
enum { BLOCK = 512, STEPS = 20 };
enum { WIDE, NEARBY, ABOVE, LOST };
enum { MILLS_WIDTH = 10, SLOPE_WIDTH = 15, EXP_WIDTH = 2, LOG_WIDTH = 3, START_WIDTH = 10 };

static double MILLS[1024 * MILLS_WIDTH], SLOPE[512 * SLOPE_WIDTH], EXP[64 * EXP_WIDTH],
    LOG[128 * LOG_WIDTH], START[44 * 35 * START_WIDTH];
#define CONSTANTS(EACH)                                                                           \
    EACH(STEPS_PER_UNIT) EACH(STEP_HEAD) EACH(STEP_REST) EACH(LN2_HEAD) EACH(LN2_REST)            \
    EACH(LN_SQRT_2PI) EACH(NEAR) EACH(LEAST) EACH(PER_LN2) EACH(TABLE_END) EACH(TINY) EACH(CLOSE) \
    EACH(SHORT) EACH(SMALL) EACH(MU_ERROR) EACH(WIDE_ERROR) EACH(NEARBY_ERROR) EACH(ABOVE_ERROR) EACH(EPSILON_CLOSE) \
    EACH(SURE) EACH(PROFILE_ERROR) EACH(PRODUCT_ERROR)
#define DECLARED(NAME) static double NAME;
#define NAMED(NAME) {#NAME, &NAME},
CONSTANTS(DECLARED)
static const struct { const char *name; double *value; } NUMBERS[] = {CONSTANTS(NAMED)};

INLINE i64 bits(double x) { i64 b; memcpy(&b, &x, 8); return b; }
INLINE double real(i64 b) { double x; memcpy(&x, &b, 8); return x; }

/* frexp, of a positive normal number */
INLINE double parts(double x, i64 *exponent) {
    i64 b = bits(x);
    *exponent = (i64)((u64)b >> 52) - 1022;
    return real((b & 0xfffffffffffff) | 0x3fe0000000000000);
}

/* Truncated; the numbers are small. */
INLINE i64 integer(double x) { return (i64)(int32_t)x; }
INLINE double floating(i64 n) { return (double)(int32_t)n; }

/* 2^n, normal */
INLINE double power(i64 n) { return real((n + 1023) << 52); }

INLINE double split(double x) {
    double shifted = x * 134217729.0;
    return shifted - (shifted - x);
}

INLINE double two_sum(double a, double b, double *error) {
    double total = a + b, part = total - a;
    *error = (a - (total - part)) + (b - part);
    return total;
}

INLINE double two_product(double a, double b, double *error) {
    double product = a * b, a_head = split(a), b_head = split(b);
    double a_rest = a - a_head, b_rest = b - b_head;
    *error = ((a_head * b_head - product) + a_head * b_rest + a_rest * b_head) + a_rest * b_rest;
    return product;
}

/* rounding.up, for a sum that is positive and normal */
INLINE double up(double head, double rest) {
    double total = head + rest;
    return real(bits(total) + (rest > total - head));
}

/* start.mu_start */
INLINE double mu_start(double k, double delta) {
    i64 exponent, octave;
    double small = (delta * 0x1p100) / (1.0 + 0.5 * k), omega = k + small * 0x1p-100;
    double mantissa = parts(omega / small, &exponent);
    mantissa = mantissa + mantissa;
    i64 cell = LOG_WIDTH * (integer(mantissa * 128.0) - 128);
    double gap = (mantissa - LOG[cell + 0]) / LOG[cell + 0];
    double x = (floating(exponent) + 100.000001) + (LOG[cell + 1] + gap * (1.0 - 0.5 * gap)) * PER_LN2;
    x = parts(x, &octave);
    i64 part = integer(x * 8.0), i = 4 * octave + part - 8;
    double u = (x + x) - (floating(part) * 0.25 + 0.125);
    double w = parts(omega, &octave);
    part = integer(w * 4.0);
    double z = (w + w) - (floating(part) * 0.5 + 0.25);
    i64 j = 2 * octave + part + 11;
    j = j > 0 ? j : 0;
    cell = START_WIDTH * (i * 35 + j);
    double ratio = (START[cell + 0] + z * (START[cell + 1] + z * (START[cell + 2] + z * START[cell + 3]))) +
                   u * ((START[cell + 4] + z * (START[cell + 5] + z * START[cell + 6])) +
                        u * ((START[cell + 7] + z * START[cell + 8]) + u * START[cell + 9]));
    return split(omega * ratio);
}

/* mills.mills_inside, for -3/4 <= x < 254 */
INLINE void mills(double x, double low, double *head, double *rest) {
    i64 octave;
    double mantissa = parts(x + 1.75, &octave);
    i64 a = MILLS_WIDTH * (integer(mantissa * 256.0) + 128 * (octave - 2));
    double r = (x - MILLS[a + 0]) + low;
    double s = MILLS[a + 6] + r * (MILLS[a + 7] + r * (MILLS[a + 8] + r * MILLS[a + 9]));
    *head = MILLS[a + 1];
    *rest = MILLS[a + 2] + r * (MILLS[a + 3] + r * (MILLS[a + 4] + r * (MILLS[a + 5] + r * s)));
}

/* mills.mean_slope, for h < 254 and a short t */
INLINE void mean_slope(double h, double low, double t, double *head, double *rest) {
    i64 octave;
    double mantissa = parts(h + 1.75, &octave);
    i64 row = SLOPE_WIDTH * (integer(mantissa * 128.0) + 64 * (octave - 2));
    double a0 = SLOPE[row + 2];
    double a1 = SLOPE[row + 3];
    double a2 = SLOPE[row + 4];
    double a3 = SLOPE[row + 5];
    double a4 = SLOPE[row + 6];
    double a5 = SLOPE[row + 7];
    double a6 = SLOPE[row + 8];
    double a7 = SLOPE[row + 9];
    double a8 = SLOPE[row + 10];
    double a9 = SLOPE[row + 11];
    double a10 = SLOPE[row + 12];
    double a11 = SLOPE[row + 13];
    double a12 = SLOPE[row + 14];
    double r = (h - SLOPE[row + 0]) + low, tt = t * t;
    double b0 = a1 + r * (a2 + r * (a3 + r * (a4 + r * (a5 + r * (a6 + r * (a7 + r * a8))))));
    double b1 = 5.0 * a6 + r * (7.0 * a7 + r * ((28.0 / 3.0) * a8 + r * (12.0 * a9 + r * (15.0 * a10))));
    b1 = a2 / 3.0 + r * (a3 + r * (2.0 * a4 + r * ((10.0 / 3.0) * a5 + r * b1)));
    double b2 = 3.0 * a6 + r * (7.0 * a7 + r * (14.0 * a8 + r * (25.2 * a9 + r * (42.0 * a10))));
    b2 = a4 / 5.0 + r * (a5 + r * b2);
    double b3 = a6 / 7.0 + r * (a7 + r * (4.0 * a8 + r * (12.0 * a9 + r * (30.0 * a10 + r * (66.0 * a11)))));
    double b4 = a8 / 9.0 + r * (a9 + r * (5.0 * a10 + r * ((55.0 / 3.0) * a11)));
    double b5 = a10 / 11.0 + r * a11;
    b3 = b3 + tt * (b4 + tt * (b5 + tt * (a12 / 13.0)));
    *head = SLOPE[row + 1];
    *rest = a0 + (r * b0 + tt * (b1 + tt * (b2 + tt * b3)));
}

typedef struct { i64 n; double head, rest, ratio; } value;

/* profile.density_times, for |y| < 45 */
INLINE value density_times(double y, double y_low, double v, double head, double low) {
    double y_head = split(y), y_rest = (y - y_head) + y_low, z = (0.5 * y_head) * y_head;
    double steps = (z * STEPS_PER_UNIT + 6755399441055744.0) - 6755399441055744.0;
    double r = (steps * STEP_HEAD - z) + (steps * STEP_REST - y_rest * (y_head + 0.5 * y_rest));
    double p = r + r * r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r / 720.0))));
    i64 whole = integer(steps);
    i64 row = EXP_WIDTH * (whole & 63);
    double f = EXP[row + 0], f_rest = EXP[row + 1] + (EXP[row + 0] + EXP[row + 1]) * p;
    double bracket = head + low;
    low = low - (bracket - head);
    double shortened = split(bracket);
    double product = f * shortened, error = f * (bracket - shortened), sum = product + error;
    error = error - (sum - product);
    value found = {(i64)((u64)whole >> 6), sum, error + (f * low + f_rest * (bracket + low)), bracket / v};
    return found;
}

/* profile.near, profile.wide and profile.above, and density_times of them; `inside` says whether the
   tables hold it, and what is said elsewhere is of no use. */
typedef struct { double y, y_low, w, w_low, h, h_low, t, v, v_low; } lengths;

INLINE value profile(int kind, lengths g, i64 inside, double *far) {
    double head, low, right, right_rest;
    if (kind != NEARBY || far) mills(inside ? g.w : 1.0, g.w_low, &right, &right_rest);
    if (far) *far = right + right_rest;
    if (kind == NEARBY) {
        double mean, rest, shortened = split(g.v);
        mean_slope(inside ? g.h : 1.0, g.h_low, g.t, &mean, &rest);
        head = mean * shortened;
        low = mean * ((g.v - shortened) + g.v_low) + rest * g.v;
    } else {
        double left, left_rest;
        if (kind == ABOVE) {
            mills(inside ? -g.y : 1.0, -g.y_low, &left, &left_rest);
            head = two_sum(left, right, &low);
            low = low + (left_rest + right_rest);
        } else {
            mills(inside ? g.y : 1.0, g.y_low, &left, &left_rest);
            head = left - right;
            low = ((left - head) - right) + (left_rest - right_rest);
        }
    }
    return density_times(inside ? g.y : 1.0, g.y_low, g.v, head, low);
}

INLINE i64 is_inside(lengths g) { return (g.y >= LEAST) & (g.y <= 36.0) & (g.w >= g.y) & (g.w < 254.0); }

INLINE i64 is_near(double t, double h) { return t <= NEAR * (h + 1.75); }

/* step.difference and step.log_ratio */
INLINE double difference(double target, value f) {
    double scaled = target * power(f.n);
    return ((scaled - f.head) - f.rest) / ((scaled + f.head) + f.rest);
}

INLINE double log_ratio(double z) {
    double zz = z * z;
    return z * (2.0 + zz * (2.0 / 3.0 + zz * (0.4 + zz * (2.0 / 7.0))));
}

/* --- sigma --- */

/* implied._step for a short mu and a delta of at most 1/2; 0: not done, 1: done, LOST: not here */
INLINE double mu_step(int kind, double k, double v, double target, i64 *done) {
    /* profile.from_short_mu */
    double h = k / v, head = split(h), h_low = ((k - head * v) - (h - head) * v) / v, t = 0.5 * v;
    double y = h - t, part = y - h, y_low = ((h - (y - part)) - (t + part)) + h_low;
    double w = h + t;
    part = w - h;
    double w_low = ((h - (w - part)) + (t - part)) + h_low;
    lengths g = {y, y_low, w, w_low, h, h_low, t, v, 0.0};
    i64 inside = is_inside(g);
    value f = profile(kind, g, inside, NULL);
    double z = difference(target, f), zz = z * z, log = log_ratio(z);
    /* step.log_mu_step, step.step_series */
    double x = f.ratio, p = (1.0 + y * w) * x, q = (y * y + w * w) * x * x, pp = p * p;
    double third = 1.0 - 3.0 * p + (2.0 * pp + q);
    double fourth = 1.0 - 7.0 * p + (12.0 * pp + 6.0 * q) -
                    (p * (6.0 * pp + 7.0 * q) + 4.0 * (p - x) * x * x);
    double step = x * log * (1.0 + log * ((1.0 - p) * 0.5 +
                             log * (third * (1.0 / 6.0) + log * (fourth * (1.0 / 24.0)))));
    double size = fabs(step);
    i64 good = (zz <= CLOSE) & (size <= SHORT) & (size * (zz * zz) <= SMALL);
    *done = inside ? good : LOST;
    return zz > 0.01 ? 2.0 * x * z : step;
}

/* implied._next_mu */
INLINE double next_mu(double v, double step) { return split(v * (1.0 + step * (1.0 + 0.5 * step))); }

/* calibrate.sigma_one, after the last step */
INLINE double sigma_of(double sensitivity, double v, double s) {
    i64 exponent;
    double low, d = parts(sensitivity, &exponent), head = d / v, product = two_product(head, v, &low);
    double rest = ((d - product) - low) / v;
    double less = -s * (1.0 - s * (0.5 - s * (1.0 / 6.0 - s * (1.0 / 24.0))));
    rest = rest + (head + rest) * (less + MU_ERROR);
    return up(head, rest) * power(exponent);
}

/* mu is between 2^-70 and 2^12 */
INLINE i64 sigma_is_mine(double k, double delta, double sensitivity) {
    return (k >= 0.0) & (k <= TABLE_END) & (delta >= 0x1p-900) & (delta <= 0.5) &
           ((k >= TINY) | (delta >= TINY)) & (sensitivity >= 0x1p-500) &
           (sensitivity <= 0x1p500);
}

/* Steps until there is a last one. */
static double sigma_from(double k, double delta, double sensitivity, double v) {
    for (int count = 0; count < STEPS; count++) {
        i64 done;
        double step = is_near(0.5 * v, k / v) ? mu_step(NEARBY, k, v, delta, &done)
                                              : mu_step(WIDE, k, v, delta, &done);
        if (done) return done == LOST ? NAN : sigma_of(sensitivity, v, step);
        v = next_mu(v, step);
    }
    return NAN;
}

static double sigma_one(double k, double delta, double sensitivity) {
    if (!sigma_is_mine(k, delta, sensitivity)) return NAN;
    return sigma_from(k, delta, sensitivity, mu_start(k, delta));
}

INLINE int choose(int size, const i64 *kinds, i64 kind, int *chosen) {
    int count = 0;
    for (int i = 0; i < size; i++) {
        chosen[count] = i;
        count += kinds[i] == kind;
    }
    return count;
}

INLINE void mu_steps(int kind, int size, const i64 *kinds, const double *k, const double *v,
                     const double *delta, double *step, i64 *done) {
    double some[4][BLOCK];
    i64 some_done[BLOCK];
    int chosen[BLOCK], count = choose(size, kinds, kind, chosen);
    for (int i = 0; i < count; i++) {
        some[0][i] = k[chosen[i]];
        some[1][i] = v[chosen[i]];
        some[2][i] = delta[chosen[i]];
    }
    for (int i = 0; i < count; i++)
        some[3][i] = mu_step(kind, some[0][i], some[1][i], some[2][i], &some_done[i]);
    for (int i = 0; i < count; i++) {
        step[chosen[i]] = some[3][i];
        done[chosen[i]] = some_done[i];
    }
}

VECTORS static void sigma_block(int size, double in[3][BLOCK], double *out) {
    double v[BLOCK], step[BLOCK], *k = in[0], *delta = in[1], *sensitivity = in[2];
    i64 done[BLOCK], kinds[BLOCK], mine[BLOCK];
    for (int i = 0; i < size; i++) mine[i] = sigma_is_mine(k[i], delta[i], sensitivity[i]);
    for (int i = 0; i < size; i++) {
        k[i] = mine[i] ? k[i] : 1.0;
        delta[i] = mine[i] ? delta[i] : 0.125;
        sensitivity[i] = mine[i] ? sensitivity[i] : 1.0;
    }
    for (int i = 0; i < size; i++) v[i] = mu_start(k[i], delta[i]);
    for (int i = 0; i < size; i++) kinds[i] = is_near(0.5 * v[i], k[i] / v[i]) ? NEARBY : WIDE;
    mu_steps(NEARBY, size, kinds, k, v, delta, step, done);
    mu_steps(WIDE, size, kinds, k, v, delta, step, done);
    for (int i = 0; i < size; i++) out[i] = sigma_of(sensitivity[i], v[i], step[i]);
    for (int i = 0; i < size; i++) {
        if (!done[i]) out[i] = sigma_from(k[i], delta[i], sensitivity[i], next_mu(v[i], step[i]));
        if (!mine[i] || done[i] == LOST) out[i] = NAN;
    }
}

/* --- delta --- */

/* loss.mu for a mu between 2^-61 and 2^61 */
INLINE double mu_of(double sigma, double sensitivity, double *v_low) {
    i64 d_exponent, s_exponent;
    double d = parts(sensitivity, &d_exponent), s = parts(sigma, &s_exponent);
    double error, head = d / s, product = two_product(head, s, &error);
    double low = ((d - product) - error) / s, scale = power(d_exponent - s_exponent);
    *v_low = low * scale;
    return head * scale;
}

INLINE i64 mu_is_mine(double sigma, double sensitivity) {
    i64 good = (sigma >= 0x1p-500) & (sigma <= 0x1p500) & (sensitivity >= 0x1p-500) &
               (sensitivity <= 0x1p500);
    return good & (sensitivity <= sigma * 0x1p60) & (sensitivity * 0x1p60 >= sigma);
}

/* loss._geometry and profile.from_mu */
INLINE lengths from_mu(double k, double v, double v_low) {
    lengths g;
    double h = k / v, error, product = two_product(h, v, &error);
    double h_low = (((k - product) - error) - h * v_low) / v, t = 0.5 * v, t_low = 0.5 * v_low;
    double y_low, y = two_sum(h, -t, &y_low), w_low, w = two_sum(h, t, &w_low);
    y = two_sum(y, y_low + (h_low - t_low), &y_low);
    g.y = y, g.y_low = y_low, g.w = w, g.w_low = w_low + (h_low + t_low);
    g.h = h, g.h_low = h_low, g.t = t, g.v = v, g.v_low = v_low;
    return g;
}

/* loss._region; LOST where delta is nearly 0 or 1, or the tables end */
INLINE i64 kind_of(double k, double v) {
    double h = k / v, y = h - 0.5 * v;
    i64 kind = is_near(0.5 * v, h) ? NEARBY : WIDE;
    kind = y < -0.7 ? ABOVE : kind;
    return (y >= -34.0) & (y <= 34.0) & (h + 0.5 * v < 253.0) ? kind : LOST;
}

/* delta.delta */
INLINE double delta_of(int kind, double k, double v, double v_low) {
    value f = profile(kind, from_mu(k, v, v_low), 1, NULL);
    double scale = power(-f.n);
    if (kind != ABOVE)
        return up(f.head, f.rest + f.head * (kind == NEARBY ? NEARBY_ERROR : WIDE_ERROR)) * scale;
    double low, head = two_sum(1.0, -(f.head * scale), &low);
    return up(head, low - (f.rest - f.head * ABOVE_ERROR) * scale);
}

INLINE i64 delta_is_mine(double k, double sigma, double sensitivity) {
    return (k >= 0.0) & (k <= 0x1p60) & mu_is_mine(sigma, sensitivity);
}

static double delta_one(double k, double sigma, double sensitivity) {
    if (!delta_is_mine(k, sigma, sensitivity)) return NAN;
    double v_low, v = mu_of(sigma, sensitivity, &v_low);
    switch (kind_of(k, v)) {
    case WIDE: return delta_of(WIDE, k, v, v_low);
    case NEARBY: return delta_of(NEARBY, k, v, v_low);
    case ABOVE: return delta_of(ABOVE, k, v, v_low);
    default: return NAN;
    }
}

INLINE void deltas(int kind, int size, const i64 *kinds, const double *k, const double *v,
                   const double *v_low, double *out) {
    double some[4][BLOCK];
    int chosen[BLOCK], count = choose(size, kinds, kind, chosen);
    for (int i = 0; i < count; i++) {
        some[0][i] = k[chosen[i]];
        some[1][i] = v[chosen[i]];
        some[2][i] = v_low[chosen[i]];
    }
    for (int i = 0; i < count; i++) some[3][i] = delta_of(kind, some[0][i], some[1][i], some[2][i]);
    for (int i = 0; i < count; i++) out[chosen[i]] = some[3][i];
}

VECTORS static void delta_block(int size, double in[3][BLOCK], double *out) {
    double v[BLOCK], v_low[BLOCK], *k = in[0];
    i64 kinds[BLOCK];
    for (int i = 0; i < size; i++) {
        i64 mine = delta_is_mine(k[i], in[1][i], in[2][i]);
        k[i] = mine ? k[i] : 1e300; /* far beyond */
        v[i] = mu_of(mine ? in[1][i] : 1.0, mine ? in[2][i] : 1.0, &v_low[i]);
    }
    for (int i = 0; i < size; i++) kinds[i] = kind_of(k[i], v[i]);
    for (int i = 0; i < size; i++) out[i] = NAN;
    deltas(WIDE, size, kinds, k, v, v_low, out);
    deltas(NEARBY, size, kinds, k, v, v_low, out);
    deltas(ABOVE, size, kinds, k, v, v_low, out);
}

/* --- epsilon --- */

/* logarithm.logarithm of a normal x and no rest, divided by 2^n */
INLINE double logarithm(double x, i64 n, double *low) {
    i64 exponent;
    double mantissa = 2.0 * parts(x, &exponent);
    i64 cell = LOG_WIDTH * (integer(mantissa * 128.0) - 128);
    double gap = mantissa - LOG[cell], total = mantissa + LOG[cell] + 0.0;
    double whole = floating(exponent - 1 - n), error;
    double head = two_sum(whole * LN2_HEAD + LOG[cell + 1], log_ratio((gap + 0.0) / total), &error);
    *low = error + (LOG[cell + 2] + whole * LN2_REST);
    return head;
}

/* start.quantile_start */
INLINE double quantile_start(double tail) {
    double low, s = sqrt(-2.0 * logarithm(tail, 0, &low));
    double top = 2.515517 + s * (0.802853 + s * 0.010328);
    return s - top / (1.0 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
}

INLINE double larger(double a, double b) { return a > b ? a : b; }

/* epsilon._rough, from the normal quantile; y to 26 bits */
INLINE double rough(double target, double v) {
    double low, goal = logarithm(target, 0, &low) + LN_SQRT_2PI;
    double y = larger(quantile_start(target), -0.74);
    for (int count = 0; count < 2; count++) {
        double w = y + v, root = sqrt(y * y + 5.51), root_far = sqrt(w * w + 5.51);
        double near = 0.661 * y + 0.339 * root, far = 0.661 * w + 0.339 * root_far;
        double rise = 0.661 + 0.339 * (y + w) / (root + root_far);
        double value = logarithm((v * rise) / (near * far), 0, &low) - 0.5 * y * y;
        y = larger(y + (value - goal) * (rise / near), -0.74);
    }
    return split(larger(y, -0.74));
}

/* epsilon._geometry */
INLINE lengths from_y(double y, double v, double v_low) {
    lengths g = {y, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5 * v, v, v_low};
    double t_low = 0.5 * v_low;
    g.h = two_sum(y, g.t, &g.h_low);
    g.w = two_sum(y, v, &g.w_low);
    g.w_low = g.w_low + v_low;
    g.h_low = g.h_low + t_low;
    return g;
}

/* epsilon._step for a delta of at most 1/2; where z is large the change takes
   two logarithms more, or is LOST */
INLINE double y_step(int kind, int with_far, lengths g, double target, double *slope, i64 *done) {
    double far;
    i64 inside = is_inside(g);
    value f = profile(kind, g, inside, &far);
    double inverse = 1.0 / far, z = difference(target, f), x = f.ratio * inverse * -1.0;
    double c = inverse - g.w, xb = x * (-g.y - c), a = 1.0 - xb;
    double third = a * (1.0 - 2.0 * xb) + (x * c) * (x * inverse), log = log_ratio(z);
    double change = x * log * (1.0 + log * (0.5 * a + log * (third / 6.0)));
    i64 is_far = fabs(z) > 0.02;
    if (with_far && inside && is_far) {
        double low, unused, scaled = logarithm(target, -f.n, &low);
        change = x * ((scaled - logarithm(f.head, 0, &unused)) + low);
    }
    i64 good = fabs(z) <= EPSILON_CLOSE;
    *slope = fabs(x);
    *done = inside ? good : LOST;
    if (!with_far) *done = is_far ? LOST : *done;
    return change;
}

INLINE double next_y(double y, double change) { return larger(split(y + change), -0.74); }

/* epsilon._finish */
INLINE double epsilon_of(lengths g, double change, double slope) {
    i64 exponent;
    double low = g.h_low + change, h_low, h = two_sum(g.h, low, &h_low);
    double v = parts(g.v, &exponent), v_low = g.v_low * power(-exponent), error;
    double head = two_product(v, h, &error);
    double rest = (error + (v * h_low + v_low * h)) +
                  (v * slope * PROFILE_ERROR + fabs(head) * PRODUCT_ERROR);
    double total = two_sum(head, rest, &rest);
    return total >= 0x1p-800 ? up(total, rest) * power(exponent) : NAN;
}

INLINE i64 epsilon_is_mine(double delta, double sigma, double sensitivity) {
    return (delta >= 0x1p-900) & (delta <= 0.5) & mu_is_mine(sigma, sensitivity);
}

/* epsilon._zero_region and what follows it: that epsilon is positive is certain. */
INLINE i64 is_sure(double delta, double v) { return (v <= 200.0) & ((0.5 * v > 0.7) | (delta < SURE * v)); }

static double epsilon_from(double delta, double v, double v_low, double y) {
    for (int count = 0; count < STEPS; count++) {
        i64 done;
        lengths g = from_y(y, v, v_low);
        double slope, change = is_near(g.t, g.h) ? y_step(NEARBY, 1, g, delta, &slope, &done)
                                                 : y_step(WIDE, 1, g, delta, &slope, &done);
        if (done) return done == LOST ? NAN : epsilon_of(g, change, slope);
        y = next_y(y, change);
    }
    return NAN;
}

static double epsilon_one(double delta, double sigma, double sensitivity) {
    if (!epsilon_is_mine(delta, sigma, sensitivity)) return NAN;
    double v_low, v = mu_of(sigma, sensitivity, &v_low);
    return is_sure(delta, v) ? epsilon_from(delta, v, v_low, rough(delta, v)) : NAN;
}

/* One step: the last one where it is, or one nearer. What neither does is left as it is. */
INLINE void y_steps(int kind, int last, int size, const i64 *kinds, double in[4][BLOCK],
                    double *out) {
    double some[5][BLOCK];
    int chosen[BLOCK], count = choose(size, kinds, kind, chosen);
    for (int each = 0; each < 4; each++)
        for (int i = 0; i < count; i++) some[each][i] = in[each][chosen[i]];
    for (int i = 0; i < count; i++) {
        i64 done;
        double slope, y = some[3][i];
        lengths g = from_y(y, some[1][i], some[2][i]);
        double change = y_step(kind, 0, g, some[0][i], &slope, &done);
        if (last) {
            double found = epsilon_of(g, change, slope);
            some[4][i] = done == 1 ? found : NAN;
        } else {
            double nearer = next_y(y, change);
            some[4][i] = done == 0 ? nearer : y;
        }
    }
    for (int i = 0; i < count; i++) out[chosen[i]] = some[4][i];
}

VECTORS static void epsilon_block(int size, double in[3][BLOCK], double *out) {
    double found[4][BLOCK], *delta = found[0], *v = found[1], *v_low = found[2], *y = found[3],
           nearer[BLOCK];
    i64 kinds[BLOCK], mine[BLOCK];
    for (int i = 0; i < size; i++) {
        i64 good = epsilon_is_mine(in[0][i], in[1][i], in[2][i]);
        delta[i] = good ? in[0][i] : 0.125;
        v[i] = mu_of(good ? in[1][i] : 1.0, good ? in[2][i] : 1.0, &v_low[i]);
        mine[i] = good & is_sure(delta[i], v[i]);
    }
    for (int i = 0; i < size; i++) {
        delta[i] = mine[i] ? delta[i] : 0.125;
        v[i] = mine[i] ? v[i] : 1.0;
    }
    for (int i = 0; i < size; i++) y[i] = rough(delta[i], v[i]);
    for (int i = 0; i < size; i++) kinds[i] = is_near(0.5 * v[i], y[i] + 0.5 * v[i]) ? NEARBY : WIDE;
    y_steps(NEARBY, 0, size, kinds, found, nearer);
    y_steps(WIDE, 0, size, kinds, found, nearer);
    for (int i = 0; i < size; i++) y[i] = nearer[i];
    for (int i = 0; i < size; i++) kinds[i] = is_near(0.5 * v[i], y[i] + 0.5 * v[i]) ? NEARBY : WIDE;
    y_steps(NEARBY, 1, size, kinds, found, out);
    y_steps(WIDE, 1, size, kinds, found, out);
    for (int i = 0; i < size; i++) {
        if (out[i] != out[i]) out[i] = epsilon_from(delta[i], v[i], v_low[i], y[i]);
        if (!mine[i]) out[i] = NAN;
    }
}

/* --- what Python calls --- */

/* ieee754.sound */
static int sound(void) {
    static volatile double one = 1.0, half = 0x1p-53, more = 0x1.8p-53, normal = DBL_MIN;
    return one + half == one && one + more > one && normal * 0.5 * 2.0 == normal;
}

/* The number that an object certainly is: a float, or a small int. */
static double number(PyObject *given) {
    if (PyFloat_CheckExact(given)) return PyFloat_AS_DOUBLE(given);
    if (!PyLong_CheckExact(given)) return NAN;
    int overflow;
    long whole = PyLong_AsLongAndOverflow(given, &overflow);
    return overflow || whole < 0 || whole > 1 << 30 ? NAN : (double)whole;
}

static PyObject *one(double (*formula)(double, double, double), PyObject *const *given,
                     Py_ssize_t count) {
    if (count != 3) return PyErr_Format(PyExc_TypeError, "three numbers are needed");
    if (!sound()) return PyFloat_FromDouble(NAN); /* Python says so */
    return PyFloat_FromDouble(formula(number(given[0]), number(given[1]), number(given[2])));
}

/* Fill the last array; return how many elements are left, as NaN. */
static PyObject *many(void (*formula)(int, double[3][BLOCK], double *), PyObject *const *given,
                      Py_ssize_t count) {
    Py_buffer view[4];
    int held = 0, good = count == 4;
    while (good && held < 4) {
        int flags = held < 3 ? PyBUF_STRIDES : PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE;
        flags |= PyBUF_FORMAT;
        if (PyObject_GetBuffer(given[held], &view[held], flags)) break;
        good = view[held].ndim == 1 && view[held].itemsize == 8 &&
               !strcmp(view[held].format, "d") && view[held].shape[0] == view[0].shape[0];
        held++;
    }
    Py_ssize_t left = 0;
    if (good && held == 4) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t begun = 0; begun < view[0].shape[0]; begun += BLOCK) {
            double numbers[4][BLOCK];
            Py_ssize_t rest = view[0].shape[0] - begun;
            int size = rest < BLOCK ? (int)rest : BLOCK;
            for (int each = 0; each < 3; each++) {
                const Py_ssize_t step = view[each].strides[0];
                const char *from = (char *)view[each].buf + begun * step;
                if (step == 8) memcpy(numbers[each], from, 8 * (size_t)size);
                else
                    for (int i = 0; i < size; i++) memcpy(&numbers[each][i], from + i * step, 8);
            }
            formula(size, numbers, numbers[3]);
            for (int i = 0; i < size; i++) left += numbers[3][i] != numbers[3][i];
            memcpy((double *)view[3].buf + begun, numbers[3], 8 * (size_t)size);
        }
        Py_END_ALLOW_THREADS
    }
    while (held--) PyBuffer_Release(&view[held]);
    if (!good) PyErr_SetString(PyExc_TypeError, "four arrays of float64, of one length, are needed");
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(left);
}

#define CALLED(NAME)                                                                              \
    static PyObject *call_##NAME##_one(PyObject *module, PyObject *const *given, Py_ssize_t count) {\
        return one(NAME##_one, given, count);                                                     \
    }                                                                                             \
    static PyObject *call_##NAME##_many(PyObject *module, PyObject *const *given, Py_ssize_t count) {\
        return many(NAME##_block, given, count);                                                  \
    }
#define METHOD(NAME)                                                                              \
    {#NAME "_one", (PyCFunction)(void *)call_##NAME##_one, METH_FASTCALL, NULL},                  \
    {#NAME "_many", (PyCFunction)(void *)call_##NAME##_many, METH_FASTCALL, NULL}
CALLED(sigma)
CALLED(delta)
CALLED(epsilon)

static int filled(PyObject *rows, double *table, Py_ssize_t length, Py_ssize_t width) {
    if (!PyTuple_Check(rows) || PyTuple_GET_SIZE(rows) != length) return 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *row = PyTuple_GET_ITEM(rows, i);
        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != width) return 0;
        for (Py_ssize_t j = 0; j < width; j++) {
            if (!PyFloat_CheckExact(PyTuple_GET_ITEM(row, j))) return 0;
            table[i * width + j] = PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(row, j));
        }
    }
    return 1;
}

/* The five tables, and a dict of the constants. */
static PyObject *load(PyObject *module, PyObject *given) {
    PyObject *mills_rows, *slope_rows, *exp_rows, *log_rows, *start_rows, *constants;
    if (!PyArg_ParseTuple(given, "OOOOOO!", &mills_rows, &slope_rows, &exp_rows, &log_rows,
                          &start_rows, &PyDict_Type, &constants))
        return NULL;
    if (!filled(mills_rows, MILLS, 1024, MILLS_WIDTH) ||
        !filled(slope_rows, SLOPE, 512, SLOPE_WIDTH) || !filled(exp_rows, EXP, 64, EXP_WIDTH) ||
        !filled(log_rows, LOG, 128, LOG_WIDTH) || !filled(start_rows, START, 44 * 35, START_WIDTH))
        return PyErr_Format(PyExc_ValueError, "a table is not of the size it was compiled for");
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        PyObject *value = PyDict_GetItemString(constants, NUMBERS[i].name);
        if (!value || !PyFloat_CheckExact(value))
            return PyErr_Format(PyExc_ValueError, "%s must be a float", NUMBERS[i].name);
        *NUMBERS[i].value = PyFloat_AS_DOUBLE(value);
    }
    Py_RETURN_NONE;
}

static PyMethodDef METHODS[] = {
    {"load", load, METH_VARARGS, NULL}, METHOD(sigma), METHOD(delta),
    METHOD(epsilon), {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_compiled", NULL, -1, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) {
    volatile double one = 1.0 + 0x1p-30, square = one * one;
    if (one * one - square != 0.0)
        return PyErr_Format(PyExc_ImportError, "it was compiled with fused products and sums");
    return PyModule_Create(&MODULE);
}
