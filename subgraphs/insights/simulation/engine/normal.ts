const root2Pi = Math.sqrt(2 * Math.PI)

/** Density of the standard normal distribution. */
export const normalDensity = (x: number): number => Math.exp((-x * x) / 2) / root2Pi

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)

const numerator = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931,
  220.206867912376,
]
const denominator = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
]

/** Distribution function of the standard normal distribution, to 15 digits also far below zero (Hart 1968, West 2005). */
export function normalDistribution(x: number): number {
  const distance = Math.abs(x)
  if (distance > 37) return x > 0 ? 1 : 0
  const power = Math.exp((-distance * distance) / 2)
  const tail =
    distance < 7.07106781186547
      ? (power * polynomial(numerator, distance)) / polynomial(denominator, distance)
      : power / (distance + 1 / (distance + 2 / (distance + 3 / (distance + 4 / (distance + 0.65))))) / root2Pi
  return x > 0 ? 1 - tail : tail
}

const central = [
  [
    -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
    2.506628277459239,
  ],
  [-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1],
] as const
const outer = [
  [
    -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1],
] as const
const outerFrom = 0.02425

function approximateQuantile(p: number): number {
  if (p < outerFrom) {
    const q = Math.sqrt(-2 * Math.log(p))
    return polynomial(outer[0], q) / polynomial(outer[1], q)
  }
  const q = p - 0.5
  return (polynomial(central[0], q * q) * q) / polynomial(central[1], q * q)
}

/** The value below which a share `p` of the standard normal distribution lies, for 0 < p < 1 (Acklam, with one step of Halley's method). */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p)
  const x = approximateQuantile(p)
  const step = (normalDistribution(x) - p) / normalDensity(x)
  return x - step / (1 + (x * step) / 2)
}
