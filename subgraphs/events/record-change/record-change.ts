import { Directive, Field, ID, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { customObjectEvents, customObjectName, customObjectScope } from '../../kernel/record/custom-object.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { readScopeOf } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { SubgraphDefinition } from '../../kernel/subgraph/subgraph.ts'
import { Node } from '../node/node.ts'

type Class = new () => object

/** A record type whose changes can be subscribed to. */
export interface StreamedRecord {
  readonly shape: RecordShape
  /** The name of its GraphQL type: `Account`. */
  readonly type: string
  /** The field of `RecordChange` that holds the record: `account`. */
  readonly field: string
  /** The scope that is required to read it: `READ_ACCOUNTS`. */
  readonly scope: string
}

/** One event of one record. It also has the record as a reference, in the field of its record type. */
export interface RecordChange {
  readonly id: string
  readonly type: string
  readonly cursor: string
  readonly occurredAt: string
  readonly object: string
  readonly customObject: string | null
  readonly recordId: string
  readonly changedFields: readonly string[] | null
  readonly actorId: string | null
}

/** The type of the event that a subscriber gets when a record leaves the own sight: `account.left_sight`. No webhook gets it. */
export function leftSightType(object: string): string {
  const name = customObjectName(object)
  return `${name === null ? object : customObjectEvents(name)}.left_sight`
}

/** The record types that have events and that other subgraphs can reference, in the order of their names. */
export function streamedRecords(subgraphs: readonly SubgraphDefinition[]): StreamedRecord[] {
  return subgraphs
    .flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.entries(entities)))
    .filter(([, { events }]) => events !== undefined)
    .map(([type, shape]) => ({
      shape,
      type,
      field: type.charAt(0).toLowerCase() + type.slice(1),
      scope: readScopeOf(shape.entity),
    }))
    .toSorted((a, b) => (a.shape.object < b.shape.object ? -1 : 1))
}

/** What the records of all custom objects have in common as a streamed record. */
export const streamedCustomRecord = (shape: RecordShape): StreamedRecord => ({
  shape,
  type: 'CustomRecord',
  field: 'customRecord',
  scope: customObjectScope,
})

/** Its value of the enumeration of the record types. */
export const isOfCustomObjects = ({ field }: StreamedRecord): boolean => field === 'customRecord'

const references = new Map<string, Class>()

/** A reference to a record of another subgraph, which resolves its fields. The subgraph has one class for each type. */
export function referenceTo(type: string): Class {
  const known = references.get(type)
  if (known) return known
  const Reference = class {}
  Field(() => ID, { description: 'Id of the record.' })(Reference.prototype, 'id')
  Directive('@key(fields: "id", resolvable: false)')(Reference)
  ObjectType(type, { implements: Node })(Reference)
  references.set(type, Reference)
  return Reference
}

/** The enumeration of the record types. Its values are the names of the record types in events, in upper case. */
export const recordObjectOf = (records: readonly StreamedRecord[]): Readonly<Record<string, string>> =>
  enumeration(
    'RecordObject',
    'The record types whose changes can be subscribed to.',
    Object.fromEntries(
      records.map((record) => {
        const { object } = record.shape
        const what = isOfCustomObjects(record)
          ? 'Records of a custom object, with the events `custom_object.<name>.*`. Only in answers: subscribe with `customObjects`.'
          : `Records of the type ${object.replaceAll('_', ' ')}, with the events \`${object}.*\`.`
        return [object.toUpperCase(), `${what} Needs ${record.scope}.`]
      }),
    ),
  )

/** The GraphQL type of an event, with one nullable field for each record type. */
export function recordChangeOf(
  records: readonly StreamedRecord[],
  RecordObject: Readonly<Record<string, string>>,
): Class {
  @ObjectType('RecordChange', { description: 'One event of one record.' })
  class Change {
    @Field(() => ID, { description: 'Id of the event, `evt_...`, as in webhooks.' })
    id!: string

    @Field(() => String, {
      description:
        'Type of the event, such as `account.updated`. `account.left_sight`: the record left the sight of the caller, for example because it got another owner; the event names the record and nothing else.',
    })
    type!: string

    @Field(() => RecordObject, { description: 'Type of the record.' })
    object!: string

    @Field(() => String, {
      nullable: true,
      description: 'Name of the custom object, if `object` is CUSTOM_RECORD; null for other record types.',
    })
    customObject!: string | null

    @Field(() => ID, { description: 'Id of the record, also when the record itself is null.' })
    recordId!: string

    @Field(() => [String], {
      nullable: true,
      description:
        'Names of the changed fields that the caller may read. Null if the event is no update, or the caller could not see the record before it.',
    })
    changedFields!: string[] | null

    @NamesRecord('user')
    @Field(() => ID, {
      nullable: true,
      description:
        'Id of the user who made the change; null for the platform, and when the record left the sight of the caller.',
    })
    actorId!: string | null

    @Field(() => String, {
      description:
        'Position of the event in the event log of the organization. Send the last received cursor as `after` to continue after it.',
    })
    cursor!: string

    @Field(() => DateTime, { description: 'When the change was committed.' })
    occurredAt!: string
  }
  for (const { shape, type, field } of records) {
    const reference = referenceTo(type)
    const name = nameOf(shape)
    const description = `The ${name} at the time of delivery, with the fields that the caller may read. Null if it is deleted, and for other record types.`
    Field(() => reference, { nullable: true, description })(Change.prototype, field)
  }
  return Change
}
