import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { isRawNumber, nearestNumber, isJsonObject } from '../../kernel/json/exact-number.ts'
import { bounds } from './bounds.ts'
import type { EngagementConfigInput, EngagementEntityInput, EngagementRankInput } from './engagement.inputs.ts'

/** Notes the problems of a request; after the first fifty, further ones are not looked for. */
class Problems {
  readonly found: FieldProblem[] = []

  get isFull(): boolean {
    return this.found.length >= 50
  }

  add(path: string, code: string, message: string): void {
    this.found.push({ path, code, message: `${path} ${message}` })
  }

  range(path: string, value: number | null | undefined, [least, most]: readonly [number, number]): void {
    if (value === null || value === undefined || (value >= least && value <= most)) return
    this.add(path, 'OUT_OF_RANGE', `must be between ${least} and ${most}.`)
  }

  text(path: string, value: string, most: number): void {
    if (value.trim() === '') this.add(path, 'REQUIRED', 'must not be empty.')
    else if (value.length > most) this.add(path, 'TOO_LONG', `must have at most ${most} characters.`)
  }

  /** The bounds of a list are those of the sum over all entities. */
  atMost(path: string, count: number, most: number, what: string): void {
    if (count > most) this.add(path, 'TOO_MANY', `must have at most ${most} ${what}.`)
  }
}

interface Part extends Pick<EngagementRankInput, 'entities' | 'limit' | 'config'> {
  /** The path of the only entity; without it, the entities are a list. */
  readonly place?: string
}

export function refuseBatches(count: number): void {
  if (count >= 1 && count <= bounds.batches) return
  const message = `input.batches must have 1 to ${bounds.batches} lists.`
  throw invalid({ path: 'input.batches', code: count === 0 ? 'REQUIRED' : 'TOO_MANY', message })
}

/** Refuses requests outside of their bounds, with the path of each problem. All parts together have the bounds of one request. */
export function refuseInvalid(parts: readonly (readonly [path: string, part: Part])[], sumsPath: string): void {
  const problems = new Problems()
  const count = (of: (entity: EngagementEntityInput) => number): number =>
    parts.reduce((total, [, { entities }]) => total + entities.reduce((sum, entity) => sum + of(entity), 0), 0)
  const activities = count((entity) => entity.activities?.length ?? 0)
  const relationships = count((entity) => entity.relationships?.length ?? 0)
  const places: [number, number, string][] = [
    [count(() => 1), bounds.entities, 'entities'],
    [activities, bounds.activities, 'activities of all entities together'],
    [relationships, bounds.relationships, 'relationships of all entities together'],
  ]
  for (const [found, most, what] of places) problems.atMost(sumsPath, found, most, what)
  if (problems.found.length === 0) for (const [path, part] of parts) checkPart(path, part, problems)
  if (problems.found.length > 0) throw invalid(...problems.found)
}

function checkPart(path: string, { entities, limit, config, place: only }: Part, problems: Problems): void {
  problems.range(`${path}.limit`, limit, bounds.limit)
  if (config) checkConfig(`${path}.config`, config, problems)
  const places = new Map<string, number>()
  for (const [index, entity] of entities.entries()) {
    if (problems.isFull) return
    const place = only ?? `${path}.entities.${index}`
    checkEntity(place, entity, problems)
    const first = places.get(entity.id)
    if (first === undefined) places.set(entity.id, index)
    else problems.add(`${place}.id`, 'NOT_UNIQUE', `must be unique; entities.${first} has the same id.`)
  }
}

export function checkEntity(path: string, entity: EngagementEntityInput, problems: Problems): void {
  problems.text(`${path}.id`, entity.id, bounds.id)
  problems.text(`${path}.type`, entity.type, bounds.type)
  if (entity.name && entity.name.length > bounds.name)
    problems.add(`${path}.name`, 'TOO_LONG', `must have at most ${bounds.name} characters.`)
  checkProperties(`${path}.properties`, entity.properties, problems)
  for (const [index, { targetId, strength }] of (entity.relationships ?? []).entries()) {
    if (problems.isFull) return
    problems.text(`${path}.relationships.${index}.targetId`, targetId, bounds.id)
    problems.range(`${path}.relationships.${index}.strength`, strength, bounds.strength)
  }
}

function checkProperties(path: string, properties: unknown, problems: Problems): void {
  if (properties === null || properties === undefined) return
  if (!isJsonObject(properties)) return problems.add(path, 'WRONG_TYPE', 'must be an object.')
  const amount: unknown = properties['openAmount']
  if (amount === null || amount === undefined) return
  if (typeof amount !== 'number' && !isRawNumber(amount))
    return problems.add(`${path}.openAmount`, 'WRONG_TYPE', 'must be a number.')
  problems.range(`${path}.openAmount`, openAmountOf(properties), bounds.openAmount)
}

/** `openAmount` of free-form properties that were checked; null without one. */
export function openAmountOf(properties: unknown): number | null {
  const amount = isJsonObject(properties) ? properties['openAmount'] : null
  if (typeof amount === 'number') return amount
  return isRawNumber(amount) ? nearestNumber(amount) : null
}

function checkConfig(path: string, config: EngagementConfigInput, problems: Problems): void {
  problems.range(`${path}.halfLifeDays`, config.halfLifeDays, bounds.halfLifeDays)
  problems.range(`${path}.k`, config.k, bounds.k)
  problems.range(`${path}.windowDays`, config.windowDays, bounds.windowDays)
  for (const table of ['weights', 'edges'] as const) {
    const types = new Set<string>()
    for (const [index, { type, weight }] of (config[table] ?? []).entries()) {
      if (problems.isFull) return
      problems.range(`${path}.${table}.${index}.weight`, weight, bounds.weight)
      if (types.has(type)) problems.add(`${path}.${table}.${index}.type`, 'NOT_UNIQUE', 'must be named only once.')
      types.add(type)
    }
  }
  if (!config.rank) return
  const { network, engagement, momentum } = config.rank
  for (const [name, share] of Object.entries({ network, engagement, momentum }))
    problems.range(`${path}.rank.${name}`, share, [0, 1])
  if (Math.abs(network + engagement + momentum - 1) > 1e-9)
    problems.add(`${path}.rank`, 'OUT_OF_RANGE', 'must have shares that add up to 1.')
}
