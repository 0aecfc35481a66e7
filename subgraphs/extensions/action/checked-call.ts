import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { allColumnNames, readOne, requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { notAnswered, unrestricted, type RequestContext } from '../../kernel/request.ts'
import { customObject } from '../../kernel/record/custom-object.ts'
import { Mapping } from '../../kernel/template/mapping.ts'
import { TemplateProblem } from '../../kernel/template/template-problem.ts'
import { builtInExtendedTypes, isExtendedType, shapeOfType, type ExtendedType } from '../extended-type.ts'
import { apiNamePattern, payloadBytesMax } from '../function/bounds.ts'
import { problemOfValue } from './bounded-schema.ts'
import { customAction } from './custom-action.record.ts'
import type { CustomAction } from './custom-action.ts'
import { requireRightToMap, type CalledAction } from './write-output.ts'

/** What a caller wants to run. */
export interface ActionCall {
  /** Id or apiName. */
  readonly key: string
  readonly recordId?: string | null
  readonly input?: unknown
}

export interface FoundCall extends CalledAction {
  /** The input as it was given, without what follows from the record. */
  readonly given: object
}

/** A run that may begin. */
export interface CheckedCall extends FoundCall {
  readonly input: object
}

/** The action with its record, which the caller sees, and its input, which fits the schema; refuses what the caller may not run. */
export async function checkedCall(ctx: RequestContext, call: ActionCall): Promise<CheckedCall> {
  const found = await findCall(ctx, call)
  return { ...found, input: await inputOf(ctx, found) }
}

/** As `checkedCall`, without the input. */
export async function findCall(ctx: RequestContext, { key, ...call }: ActionCall): Promise<FoundCall> {
  const given = boundedInput(call.input ?? {})
  const recordId = call.recordId?.toLowerCase() ?? null
  const action = await requireAction(ctx, key)
  requireRunnable(ctx, action)
  const found = { action, recordId, objectType: await typeOfRecord(ctx, action, recordId), given }
  requireRightToMap(ctx, found)
  return found
}

/** The input with what follows from the record; refuses one that does not fit the schema. */
export async function inputOf(ctx: RequestContext, call: FoundCall): Promise<object> {
  const input = boundedInput({ ...(await mappedInput(ctx, call)), ...call.given })
  const problem = problemOfValue(call.action.inputSchema, 'input.input', input)
  if (problem) throw invalid(problem)
  return input
}

/** What of the input follows from the record as the caller sees it at this moment. */
async function mappedInput(
  ctx: RequestContext,
  { action: { inputMapping }, recordId, objectType, given }: FoundCall,
): Promise<object> {
  const wanted = Object.entries(inputMapping ?? {}).filter(([name]) => !Object.hasOwn(given, name))
  if (wanted.length === 0) return {}
  const shape = objectType && shapeOfType(ctx, objectType)
  const row = shape && (await readOne(notAnswered(ctx), shape, recordId!, allColumnNames(shape)))
  const mapping = new Mapping({ record: row && shape.columns.shownOf(row) })
  const found = (name: string, value: unknown): unknown => {
    try {
      return mapping.found(value)
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error
      const path = `input.input.${name}`
      throw invalid({ path, code: error.code, message: `${path}: its inputMapping ${error.message}` })
    }
  }
  return Object.fromEntries(
    wanted.flatMap(([name, value]) => {
      const filled = found(name, value)
      // A lone output without a value gives none, so that an input that is not required may be absent.
      return filled === undefined || (filled === null && value !== null) ? [] : [[name, filled]]
    }),
  )
}

function boundedInput(input: unknown): object {
  const problem = (code: string, rule: string) =>
    invalid({ path: 'input.input', code, message: `input.input must ${rule}.` })
  if (!isJsonObject(input)) throw problem('WRONG_TYPE', 'be an object')
  if (Buffer.byteLength(JSON.stringify(input)) > payloadBytesMax)
    throw problem('TOO_LONG', `have at most ${payloadBytesMax} bytes as JSON`)
  return input
}

/** Profiles hide nothing of an action from those who may run it. */
export async function requireAction(ctx: RequestContext, key: string): Promise<CustomAction> {
  const id = isId(key) ? key.toLowerCase() : await idNamed(ctx, key)
  if (id === null) throw notFound('The custom action')
  return requireRecord(unrestricted(ctx), customAction, id)
}

async function idNamed({ db, caller }: RequestContext, key: string): Promise<string | null> {
  const [row] = apiNamePattern.test(key)
    ? await db.query<{ id: string }>(
        'select id from extensions.custom_action where organization_id = $1 and api_name = $2 and deleted_at is null',
        [caller.organizationId, key],
      )
    : []
  return row?.id ?? null
}

export function requireRunnable(ctx: RequestContext, { isActive, allowManual, kind }: CustomAction): void {
  if (kind === 'WRITE') requireWritableRole(ctx)
  if (!isActive) throw refusalInSituation('The action is turned off.')
  if (!allowManual && ctx.caller.origin === undefined)
    throw refusalInSituation('The action is for automations only, because allowManual is false.')
}

/** The record type of the record, which the caller must see; null without a record. */
async function typeOfRecord(
  ctx: RequestContext,
  { objectTypes }: CustomAction,
  recordId: string | null,
): Promise<ExtendedType | null> {
  if (recordId === null) {
    if (objectTypes.length === 0) return null
    const message = `input.recordId must be the id of a record of the type ${objectTypes.join(' or ')}.`
    throw invalid({ path: 'input.recordId', code: 'REQUIRED', message })
  }
  // Those of the action first, which it nearly always is.
  const type =
    (await firstWith(ctx, new Set([...objectTypes, ...builtInExtendedTypes]), recordId)) ??
    (await firstWith(ctx, await customTypeOf(ctx, recordId), recordId))
  if (type === null) throw notFound('The record')
  if (objectTypes.length === 0 || objectTypes.includes(type)) return type
  throw refusalInSituation(`The action is for records of the type ${objectTypes.join(' or ')}.`)
}

/** The first of these types of which the caller sees a record with this id. */
async function firstWith(ctx: RequestContext, types: Iterable<string>, recordId: string): Promise<ExtendedType | null> {
  for (const type of types) {
    const shape = isExtendedType(type) ? shapeOfType(ctx, type) : null
    if (shape && (await readOne(notAnswered(ctx), shape, recordId))) return type as ExtendedType
  }
  return null
}

/** The custom object that has a record with this id, which the caller may not see. */
async function customTypeOf({ db, caller }: RequestContext, recordId: string): Promise<string[]> {
  if (!isId(recordId)) return []
  const rows = await db.query<{ object: string }>(
    'select object from extensions.custom_record where organization_id = $1 and id = $2',
    [caller.organizationId, recordId],
  )
  return rows.map(({ object }) => customObject(object))
}
