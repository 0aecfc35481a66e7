import { createHash } from 'node:crypto'

/** Names the configuration of a model and the day of what it was learned from. Two answers with the same version follow from the same parameters. */
export const modelVersionOf = (model: string, configuration: unknown, learnedAt: string | null): string => {
  const digest = createHash('sha256').update(JSON.stringify(configuration)).digest('hex').slice(0, 8)
  return [model, digest, learnedAt?.slice(0, 10)].filter((part) => part !== undefined).join('-')
}
