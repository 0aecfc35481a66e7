import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import type { OperationContext } from '../subgraphs/kernel/context.ts'
import type { FieldProblem } from '../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../subgraphs/kernel/json/exact-number.ts'
import type { ShapeSource } from '../subgraphs/kernel/record/shape-source.ts'
import { hiddenFrom, removeHiddenFields } from './hidden-fields.ts'
import type { GraphPort } from './ports.ts'
import { differencesOf, unchangedIn, type SentReadOnly } from './read-only.ts'
import type { RestOperation } from './rest-operation.ts'
import { gatherRelated, ShapedReads } from './shape/shaped-reads.ts'
import { lookupNamed, relatedProperty, type Shape } from './shape/shaping.ts'
import { Translation, variableOf } from './translate.ts'

type PathValues = Readonly<Record<string, string | string[] | undefined>>

export interface Compared {
  /** The read-only values that differ. */
  readonly problems: readonly FieldProblem[]
  /** The properties of the body that are as they were read. */
  readonly unchanged: ReadonlySet<string>
}

const nothingCompared: Compared = { problems: [], unchanged: new Set() }

interface Compiled {
  readonly translation: Translation
  readonly whole: PreparedOperation
  readonly shapes: ShapedReads
}

/** Compares the read-only values of a change with the answer that the caller gets from `GET` of the same path. */
export class ReadOnlyComparison {
  private compiled: Compiled | null = null

  constructor(
    private readonly reading: RestOperation,
    private readonly ports: { readonly graph: GraphPort; readonly shapes: Pick<ShapeSource, 'shapesOf'> },
  ) {}

  /** If the change expects another version than the read one, it answers 409 with the current version, so nothing else is compared. */
  async compare(
    sent: SentReadOnly,
    context: OperationContext,
    path: PathValues,
    expected: number | undefined,
  ): Promise<Compared> {
    const { graph, shapes: defined } = this.ports
    const { translation, whole, shapes } = (this.compiled ??= {
      translation: new Translation(this.reading),
      whole: graph.prepare(this.reading.document!),
      shapes: new ShapedReads(this.reading, graph),
    })
    const variables = translation.variables(path, {}, {}, undefined)
    const readAs = async (shape: Shape | null) => {
      const shaped = shape && (await shapes.readFor(shape, context.caller))
      const prepared = shaped?.prepared ?? whole
      return { shaped, prepared, ...(await graph.execute(prepared, variables, context)) }
    }
    const shape = shapeOf(sent, this.reading)
    let answer = await readAs(shape)
    // What the body has under other names than those of lookups was never read.
    if (answer.errors?.[0] && shape && shape.lookups.length > 0) answer = await readAs({ ...shape, lookups: [] })
    const { shaped, prepared, data, errors } = answer
    // The change itself says so, or repeats its answer to the same Idempotency-Key.
    if (errors?.[0]?.extensions?.['code'] === 'NOT_FOUND') return nothingCompared
    if (errors?.[0]) throw errors[0]
    const hidden = hiddenFrom(context.caller, defined, variables)
    if (hidden) removeHiddenFields(graph.apiSchema, prepared, data, hidden)
    const read = data?.['result']
    if (shaped) gatherRelated(read, shaped)
    if (expected !== undefined && isJsonObject(read) && read['version'] !== expected) return nothingCompared
    const unchanged = new Set(isJsonObject(sent.body) ? unchangedIn(sent.body, read) : [])
    return { problems: differencesOf(sent, read), unchanged }
  }
}

/** The related records that the body has, also those that lookups name; null if it has none. */
function shapeOf({ sent }: SentReadOnly, { shaping }: RestOperation): Shape | null {
  const related = sent.filter(({ isRelated }) => isRelated)
  const expand = related.flatMap(({ path: [name] }) => (shaping!.relations.has(String(name)) ? [String(name)] : []))
  const named = related.find(({ path: [name] }) => name === relatedProperty)?.value
  const keys = isJsonObject(named) ? Object.keys(named).flatMap((key) => lookupNamed(`customFields.${key}`) ?? []) : []
  const lookups = keys.toSorted().slice(0, lookupsMax)
  return expand.length + lookups.length > 0 ? { only: null, expand, lookups } : null
}

/** As many as a read answers. */
const lookupsMax = 5

/** The properties of a body that differ from what was read, and those that their change needs in the same request. */
export function withoutUnchanged(
  { body: described }: RestOperation,
  body: Readonly<Record<string, unknown>>,
  unchanged: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = described!.schema
  const changed = Object.keys(body).filter((name) => !unchanged.has(name))
  const changedWith = new Set(
    changed.flatMap((name) => (properties[name]?.['x-written-with'] as readonly string[] | undefined) ?? []),
  )
  const isLeftOut = (name: string): boolean => unchanged.has(name) && !required.includes(name) && !changedWith.has(name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isLeftOut(name)))
}

/** The version in a body is what `If-Match` says, unless the header is sent. Null if the body says none. */
export function versionInBody(
  { sent }: SentReadOnly,
  { parameters }: RestOperation,
  headers: Readonly<Record<string, unknown>>,
): { readonly variable: string; readonly version: number } | null {
  const header = parameters.find(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'if-match')
  const variable = header && variableOf(header)
  const version = sent.find(({ path: [name, ...more] }) => name === 'version' && more.length === 0)?.value
  if (!variable || headers['if-match'] !== undefined || typeof version !== 'number') return null
  return Number.isInteger(version) && version > 0 && version <= versionMax ? { variable, version } : null
}

/** Versions are integers of the graph. */
const versionMax = 2 ** 31 - 1
