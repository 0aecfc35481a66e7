import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { customObject, customObjectEvents, customObjectName } from '../../subgraphs/kernel/record/custom-object.ts'
import { invalid, isErrorCode, Refusal } from '../../subgraphs/kernel/errors.ts'
import type { LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import { changeQueryOf, type ChangeQuery } from './change-query.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { startAfter } from './cursor.ts'
import { topics } from './event-match.ts'
import { EventReader, type EventReaderOptions } from './event-reader.ts'
import type { OpenedSubscription, OpenSubscription, SourceDependencies, SubscriptionRequest } from './source.ts'

/** Whether an event meets the filter of a subscriber, with the current rights of the caller. Rejects with a `Refusal` for an invalid filter. */
export type ChangeFilter = (event: LoggedEvent, caller: Caller) => Promise<boolean>

/** The filter of a subscription: the conditions in its arguments, on records of this type in the organization of the caller. */
export type ChangeFilterOf = (
  caller: Caller,
  object: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<ChangeFilter>

interface RecordChangesOptions extends EventReaderOptions, Pick<SubscriptionRequest, 'variables' | 'requestId'> {
  readonly graph: SourceDependencies['graph']
  readonly limiter: ConcurrencyLimiter
  readonly query: ChangeQuery
  /** `query`, prepared; it is executed for each event. */
  readonly prepared: PreparedOperation
  readonly objects: readonly string[]
  /** Null for all records of the types. */
  readonly recordId: string | null
  readonly filter: ChangeFilter
}

/** No record has this id: a query of it checks the caller and nothing else. */
const noRecord = '00000000-0000-0000-0000-000000000000'

/** `recordChanged`: each event is read by a query of the subscriber, with the current rights of the subscriber. */
class RecordChanges extends EventReader {
  constructor(private readonly options: RecordChangesOptions) {
    const { objects, recordId } = options
    const [object] = objects
    super(options, {
      matches: (event) => objects.includes(event.object) && (recordId === null || event.recordId === recordId),
      selection: {
        ...(objects.length === 1 ? { object: object! } : { objects }),
        ...(recordId !== null && { recordId }),
      },
    })
  }

  /** Rejects as a query of the record does: NOT_FOUND if the caller cannot see it. */
  async requireReadable(caller: Caller): Promise<void> {
    const { objects, recordId } = this.options
    for (const object of objects) {
      const [error] = (await this.#execute(caller, { object, recordId: recordId ?? noRecord }, '0')).errors ?? []
      if (error && (recordId !== null || !isNotFound(error))) throw errorOf(error)
    }
  }

  /** Null if the event does not meet the filter, or if the subscriber cannot see the record at this moment. */
  protected async resultOf(event: LoggedEvent, caller: Caller): Promise<GraphResult | null> {
    const { limiter, filter, currentCaller, cancellation } = this.options
    if (!(await filter(event, caller))) return null
    const result = await limiter.run(caller.organizationId, async () =>
      cancellation.isCancelled ? null : this.#execute(await currentCaller(), event, String(event.position)),
    )
    if (!result) return null
    const [change] = Object.values(result.data ?? {})
    if (change) return result
    const [error] = result.errors ?? []
    if (error && !isNotFound(error)) throw errorOf(error)
    return null
  }

  protected override isLast({ type, object }: LoggedEvent): boolean {
    if (this.options.recordId === null) return false
    const name = customObjectName(object)
    return type === `${name === null ? object : customObjectEvents(name)}.deleted`
  }

  #execute(
    caller: Caller,
    { object, recordId }: Pick<LoggedEvent, 'object' | 'recordId'>,
    cursor: string,
  ): Promise<GraphResult> {
    const { graph, prepared, query, variables, requestId, cancellation } = this.options
    const { objectVariable, customObjectVariable, idVariable, cursorVariable } = query
    const name = customObjectName(object)
    const given = {
      ...variables,
      [objectVariable]: name === null ? object.toUpperCase() : customRecord,
      [customObjectVariable]: name,
      [idVariable]: recordId,
      [cursorVariable]: cursor,
    }
    return graph.execute(prepared, given, { caller, requestId, idempotency: null, cancellation })
  }
}

const objectsMax = 10
/** The member of `RecordObject` for the records of all custom objects. */
const customRecord = 'CUSTOM_RECORD'

/** The record types in the arguments. With several of them, neither one record nor conditions can be chosen. */
function objectsOf({ object, objects, customObjects, id, filter }: Readonly<Record<string, unknown>>): string[] {
  const given = (objects ?? null) as readonly string[] | null
  const custom = (customObjects ?? null) as readonly string[] | null
  const isOne = typeof object === 'string'
  if (isOne ? given !== null : given === null && custom === null) {
    const message = 'Give object, objects or customObjects, and not object with objects.'
    throw invalid({ path: 'object', code: 'REQUIRED', message })
  }
  const builtIn = given ?? (isOne ? [object] : [])
  if (builtIn.includes(customRecord)) {
    const message = `Name the custom objects in customObjects, in place of ${customRecord}.`
    throw invalid({ path: isOne ? 'object' : 'objects', code: 'NOT_ALLOWED', message })
  }
  const names = [...new Set([...builtIn.map((name) => name.toLowerCase()), ...namedObjects(custom ?? [])])]
  if (names.length === 0 || names.length > objectsMax) {
    const message = `objects and customObjects must have 1 to ${objectsMax} record types together.`
    throw invalid({ path: given === null ? 'customObjects' : 'objects', code: 'OUT_OF_RANGE', message })
  }
  if (names.length > 1)
    for (const [path, value] of Object.entries({ id, filter }))
      if (value !== null && value !== undefined)
        throw invalid({ path, code: 'NOT_ALLOWED', message: `${path} needs one record type.` })
  return names
}

function namedObjects(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const object = customObject(name)
    if (customObjectName(object) !== null) return object
    const path = `customObjects.${index}`
    throw invalid({ path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the name of a custom object.` })
  })
}

/** Opens subscriptions to the changes of one record, or of all records of one or several types. */
export const openRecordChanges =
  (dependencies: SourceDependencies, limiter: ConcurrencyLimiter, filterOf: ChangeFilterOf): OpenSubscription =>
  async ({ args, parts }, request): Promise<OpenedSubscription> => {
    const { graph, events, channels, behindMax } = dependencies
    const { caller, currentCaller, cancellation } = request
    const { organizationId } = caller
    const objects = objectsOf(args)
    const recordId = typeof args['id'] === 'string' ? args['id'].toLowerCase() : null
    const query = changeQueryOf(graph.apiSchema, parts)
    const prepared = await graph.prepareAsync(query.document, null, caller)
    const filter = await filterOf(caller, objects[0]!, args)
    // The position is read before the record, so that no event after the check of the record is missed.
    const after = await startAfter(events, organizationId, args['after'])
    let notify = (): void => {}
    const wanted = objects.map((object) =>
      recordId === null ? topics.ofObject(object) : topics.ofRecord(object, recordId),
    )
    const { channel, leave } = channels.join(organizationId, wanted, () => notify())
    try {
      const reading = { channel, after, behindMax, currentCaller, cancellation }
      const changes = new RecordChanges({
        ...reading,
        ...request,
        graph,
        limiter,
        query,
        prepared,
        objects,
        recordId,
        filter,
      })
      notify = changes.notify
      await changes.requireReadable(caller)
      return { results: changes.results(), recheck: changes.recheck, leave }
    } catch (thrown) {
      leave()
      throw thrown
    }
  }

/** Converts an error of the query's result to an error that can be thrown: a `Refusal` if it has one of our codes. */
export function errorOf({ message, extensions = {} }: GraphQLFormattedError): Error {
  const { code, ...details } = extensions
  return isErrorCode(code) ? new Refusal(code, message, details) : new Error(message)
}

const isNotFound = ({ extensions }: GraphQLFormattedError): boolean => extensions?.['code'] === 'NOT_FOUND'
