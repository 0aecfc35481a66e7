import { isJsonLargerThan } from '../../kernel/json/json-size.ts'
import { historyCharactersMax, historyMax } from '../flow/bounds.ts'
import type { Values } from '../flow/elements/element-type.ts'
import type { FlowElement } from '../flow/flow-parts.ts'
import type { FlowVersion } from './flow-versions.ts'
import type { Frame, Snapshot, StoredInterview } from './interview-store.ts'

/** Characters as JSON. */
export const sizeOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length)

// A character becomes at most three bytes, or an escape of as many bytes as characters.
const bytesOfCharacter = 3

/** Whether a value has more characters as JSON. Its JSON is built only when it cannot be much longer: a value may name another one often. */
export const isLargerThan = (value: unknown, charactersMax: number): boolean =>
  isJsonLargerThan(value, charactersMax * bytesOfCharacter) ||
  (isJsonLargerThan(value, charactersMax) && sizeOf(value) > charactersMax)

export const newFrame = ({ flowId, number, startElement }: FlowVersion, variables: Values): Frame => ({
  flowId,
  flowVersion: number,
  element: startElement,
  variables,
  outputs: {},
  loops: {},
})

/** What texts and conditions of an element may name. */
export function scopeOf({ id, startedById }: StoredInterview, { variables, outputs, loops }: Frame): Values {
  const items = Object.entries(loops).map(([name, { items, index }]) => [
    name,
    { item: items[index] ?? null, index, count: items.length },
  ])
  return { ...outputs, ...variables, ...Object.fromEntries(items), interview: { id, startedById } }
}

/** The values of the output variables of a flow that has come to its end. */
export const outputsOf = ({ variables: declared }: FlowVersion, { variables }: Frame): Values =>
  Object.fromEntries(declared.filter(({ isOutput }) => isOutput).map(({ name }) => [name, variables[name] ?? null]))

/** The screens before, without the oldest ones if they are too many or too large. */
export function historyWith(history: readonly Snapshot[], snapshot: Snapshot): Snapshot[] {
  const all = [...history, snapshot].slice(-historyMax)
  const sizes = all.map(sizeOf)
  let total = sizes.reduce((sum, size) => sum + size, 0)
  while (total > historyCharactersMax) {
    all.shift()
    total -= sizes.shift()!
  }
  return all
}

/** The state in which the values of a screen are what its element has returned. */
export function withAnswers(frames: readonly Frame[], elements: readonly FlowElement[], answers: Values): Frame[] {
  const frame = frames.at(-1)!
  const element = elements.find(({ name }) => name === frame.element)!
  const next = element.connectors?.['next'] ?? null
  return [...frames.slice(0, -1), { ...frame, element: next, outputs: { ...frame.outputs, [element.name]: answers } }]
}
