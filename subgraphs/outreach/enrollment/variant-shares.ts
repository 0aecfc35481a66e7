/** What became of the mails of a variant so far. */
export interface VariantResult {
  readonly sent: number
  readonly replied: number
}

/** With this probability to be the best one, a variant is the only one that is sent. */
const bestEnough = 0.95
/** The reply rates that are compared: from 0 to 1 in steps of 0.05 %. */
const rates = Float64Array.from({ length: 2000 }, (_, cell) => (cell + 0.5) / 2000)
const logsOfReply = rates.map((rate) => Math.log(rate))
const logsOfNone = rates.map((rate) => Math.log1p(-rate))

/** The probability of each rate: a Beta distribution with a uniform prior. */
function distributionOf({ sent, replied }: VariantResult): Float64Array {
  const logs = logsOfReply.map((log, cell) => replied * log + (sent - replied) * logsOfNone[cell]!)
  const max = logs.reduce((most, log) => Math.max(most, log))
  const densities = logs.map((log) => Math.exp(log - max))
  const sum = densities.reduce((total, density) => total + density, 0)
  return densities.map((density) => density / sum)
}

/** The probability that a rate is lower than each of them. */
function lowerThan(distribution: Float64Array): Float64Array {
  let below = 0
  return distribution.map((share) => {
    below += share
    return below - share / 2
  })
}

/** For each variant the probability that it has the highest reply rate. */
export function chancesToBeBest(results: readonly VariantResult[]): number[] {
  const distributions = results.map(distributionOf)
  const lower = distributions.map(lowerThan)
  const chances = distributions.map((own, index) => {
    const others = lower.filter((_, at) => at !== index)
    let chance = 0
    for (let cell = 0; cell < own.length; cell++) {
      let product = own[cell]!
      for (const other of others) product *= other[cell]!
      chance += product
    }
    return chance
  })
  const total = chances.reduce((sum, chance) => sum + chance, 0)
  return chances.map((chance) => chance / total)
}

/**
 * How often each variant is sent: Thompson sampling on the reply rate. It sends a variant with the probability that this is the best one; these
 * probabilities are calculated here, because the end of the comparison depends on them, too. They are multiplied by the weights, so that the weights
 * alone decide until there are results.
 */
export function sharesOf(
  variants: readonly { readonly weight: number }[],
  results: readonly VariantResult[],
): number[] {
  const compared = variants.flatMap(({ weight }, index) => (weight > 0 ? [index] : []))
  const chances = chancesToBeBest(compared.map((index) => results[index]!))
  const best = chances.findIndex((chance) => chance >= bestEnough)
  const shares = variants.map(() => 0)
  for (const [at, index] of compared.entries())
    shares[index] = best === -1 ? variants[index]!.weight * chances[at]! : Number(at === best)
  return shares
}
