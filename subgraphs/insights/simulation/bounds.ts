import { invalid } from '../../kernel/errors.ts'

/** Deals times runs of a scenario. */
export const runDrawsMax = 200_000_000
/** Deals times runs of all simulations of a request that waits for them. */
export const requestDrawsMax = 50_000_000

function requireDraws(draws: number, most: number, path: string): void {
  if (draws <= most) return
  const message = `${path} must be lower: deals times runs may be ${most.toLocaleString('en')}, not ${draws.toLocaleString('en')}.`
  throw invalid({ path, code: 'TOO_MANY_DRAWS', message })
}

export const runDraws = (deals: number, iterations: number): void =>
  requireDraws(deals * iterations, runDrawsMax, 'iterations')

export const requestDraws = (deals: number, iterations: number, simulations: number): void =>
  requireDraws(deals * iterations * simulations, requestDrawsMax, 'iterations')
