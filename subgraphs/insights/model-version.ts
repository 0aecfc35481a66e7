import { createHash } from 'node:crypto'

/**
 * The versions of a model: its name, a digest of its configuration, and the day of what it was learned from. Two answers with the same version
 * follow from the same parameters.
 */
export function modelVersions(model: string, configuration: unknown): (learnedAt: string | null) => string {
  const digest = createHash('sha256').update(JSON.stringify(configuration)).digest('hex').slice(0, 8)
  return (learnedAt) => [model, digest, ...(learnedAt === null ? [] : [learnedAt.slice(0, 10)])].join('-')
}
