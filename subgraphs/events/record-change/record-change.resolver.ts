import { Arg, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { findCustomObject } from '../../kernel/extension/with-custom-object.ts'
import { isId } from '../../kernel/ids.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { stateOf } from '../../kernel/record/read.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { structureInput } from '../../kernel/record/structure.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { outOfSight, shownEventId, visibleEvent } from '../envelope/envelope.ts'
import { noParents, parentsOf } from '../envelope/visibility.ts'
import { cursorDescription, filterLogicDescription } from '../live-arguments.ts'
import {
  isOfCustomObjects,
  leftSightType,
  recordChangeOf,
  recordObjectOf,
  streamedCustomRecord,
  type RecordChange,
  type StreamedRecord,
} from './record-change.ts'

const ConditionInput = structureInput(Condition)

const CustomObjectNameArg = () =>
  ValueArg('customObject', () => String, {
    nullable: true,
    max: 63,
    description: 'Name of the custom object of the record, with CUSTOM_RECORD; null for other record types.',
    example: null,
  })

/** The query and the subscription of record changes, for these record types. */
export function recordChangeResource(builtIn: readonly StreamedRecord[], customRecord: RecordShape | null): Resource {
  const records = [...builtIn, ...(customRecord ? [streamedCustomRecord(customRecord)] : [])]
  const RecordObject = recordObjectOf(records)
  const ChangeType = recordChangeOf(records, RecordObject)
  const byName = new Map(records.map((record) => [record.shape.object.toUpperCase(), record]))
  // The argument `object` determines which of these scopes is needed, so the resolver checks it.
  const scopes = [...new Set(records.map(({ scope }) => scope))]

  @Resolver(() => ChangeType)
  class RecordChangeResolver {
    @Query(() => ChangeType, {
      nullable: true,
      description:
        'The event of a record at a cursor. Null if the record has no event at that cursor that the caller may see. NOT_FOUND if the caller cannot see the record, except for the event by which it left the sight of the caller.',
    })
    @RequiresScopes(...scopes)
    recordChange(
      @Arg('object', () => RecordObject, { description: 'Type of the record.' }) object: string,
      @CustomObjectNameArg() customObject: string | null,
      @Arg('id', () => ID, { description: 'Id of the record.' }) id: string,
      @Arg('cursor', () => String, { description: '`cursor` of the event.' }) cursor: string,
      @Ctx() ctx: RequestContext<'events'>,
    ) {
      const record = byName.get(object)!
      if (isOfCustomObjects(record)) return customRecordChange(ctx, record, { name: customObject ?? null, id, cursor })
      if (customObject) throw notOfCustomObject()
      return recordChange(ctx, record, id, cursor)
    }

    /** The gateway runs this subscription: it reads the event log and queries `recordChange` for each event, as the subscriber. */
    @Subscription(() => ChangeType, {
      description: [
        'The events of one record or, without `id`, of all records of one or several types that the caller can see, in order, from the time of the subscription or after the cursor `after`.',
        'Credential and permissions are checked for each event: no event is sent while the caller cannot see the record, nor one of a state that the caller could not see or of nothing but hidden fields, and the subscription ends when the credential does.',
        'When a record leaves the sight of the caller, an event of the type `<object>.left_sight` names it and nothing else.',
        'With `id`, the deletion of the record is the last event, and NOT_FOUND means that the caller cannot see the record.',
        'A subscription that is more than 10,000 events of the organization behind, because its client reads too slowly, ends with GRAPHQL_LIMIT_EXCEEDED and its `cursor`.',
      ].join(' '),
      topics: 'recordChanged',
    })
    @RequiresScopes(...scopes)
    recordChanged(
      @Arg('object', () => RecordObject, {
        nullable: true,
        description: 'Type of the records; null with `objects` or `customObjects`.',
      })
      _object: string | null,
      @Arg('objects', () => [RecordObject], {
        nullable: true,
        description:
          'Several types of records, 1 to 10, in place of `object`: their events come in one stream, in their order. With more than one, `id` and `filter` are refused.',
      })
      _objects: string[] | null,
      @ValueArg('customObjects', () => String, {
        list: true,
        nullable: true,
        max: 63,
        maxItems: 10,
        description:
          'Names of custom objects whose records are in the stream, in place of `object` or besides `objects`; together at most 10 types.',
        example: ['site_visit'],
      })
      _customObjects: string[] | null,
      @Arg('id', () => ID, { nullable: true, description: 'Id of the record; null for all records of the type.' })
      _id: string | null,
      @Arg('after', () => String, { nullable: true, description: cursorDescription })
      _after: string | null,
      @Arg('filter', () => [ConditionInput], {
        nullable: true,
        description:
          'Conditions on the record at the time of the event and, if the caller could see it, its previous version; an event that does not meet them is not sent. A field that the profile of the caller hides is refused.',
      })
      _filter: object[] | null,
      @Arg('logic', () => ConditionLogic, { nullable: true, description: filterLogicDescription })
      _logic: string | null,
      @Root() change: object,
    ): object {
      return change
    }
  }
  return { resolver: RecordChangeResolver }
}

const notOfCustomObject = () =>
  invalid({
    path: 'customObject',
    code: 'NOT_ALLOWED',
    message: 'customObject is for the object CUSTOM_RECORD.',
  })

interface CustomChange {
  readonly name: string | null
  readonly id: string
  readonly cursor: string
}

async function customRecordChange(
  ctx: RequestContext<'events'>,
  record: StreamedRecord,
  { name, id, cursor }: CustomChange,
): Promise<RecordChange | null> {
  requireScopes(ctx.caller, [[[record.scope]]])
  const found = name === null ? null : await findCustomObject(ctx, name)
  if (!found) {
    const message = 'customObject must be the name of a custom object of the organization.'
    throw invalid({ path: 'customObject', code: name === null ? 'REQUIRED' : 'UNKNOWN_REFERENCE', message })
  }
  const change = await recordChange(found.ctx, { ...record, shape: found.shape }, id, cursor)
  return change && { ...change, object: record.shape.object.toUpperCase(), customObject: name }
}

async function recordChange(
  ctx: RequestContext<'events'>,
  { shape: builtIn, field, scope }: StreamedRecord,
  id: string,
  cursor: string,
): Promise<RecordChange | null> {
  const shape = shapeFor(ctx, builtIn)
  const { object } = shape
  requireScopes(ctx.caller, [[[scope]]])
  const recordId = id.toLowerCase()
  if (!isId(recordId)) throw notFound(`The ${nameOf(shape)}`)
  const position = /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0
  const selection = { after: position - 1, limit: 1, object, recordId }
  const [state, [event]] = await Promise.all([
    stateOf(ctx, shape, recordId),
    ctx.events.read(ctx.caller.organizationId, selection),
  ])
  // A caller who can see a deleted record in the list of deleted records may read its events.
  const isAt = event?.position === position
  const context = {
    shapes: ctx.shapes,
    parents: isAt ? await parentsOf(ctx.db, ctx.caller.organizationId, [event], ctx.shapes) : noParents,
  }
  const hasLeft = state === null && isAt && outOfSight(ctx.caller, event, context) !== null
  if (state === null && !hasLeft) throw notFound(`The ${nameOf(shape)}`)
  if (position === 0 && cursor !== '0') {
    throw invalid({ path: 'cursor', code: 'WRONG_FORMAT', message: 'cursor must be the cursor of a RecordChange.' })
  }
  if (!isAt) return null
  const { id: eventId, type, occurredAt, actorId } = event
  const change = {
    id: shownEventId(eventId),
    type,
    cursor,
    occurredAt,
    object: object.toUpperCase(),
    customObject: null,
    recordId,
  }
  if (hasLeft) return { ...change, type: leftSightType(object), changedFields: null, actorId: null }
  const seen = visibleEvent(ctx.caller, event, context)
  if (!seen) return null
  const changedFields = (seen.data['changedFields'] ?? null) as readonly string[] | null
  return { ...change, changedFields, actorId, ...(state === 'LIVE' && { [field]: { id: recordId } }) }
}
