type Json = Readonly<Record<string, unknown>>

/** `mergedIds`, which an event of a merge adds. */
export const mergedIdsSchema: Json = {
  type: 'array',
  items: { type: 'string' },
  description: 'Ids of the records that were merged into the record.',
}
export const mergedIdsSample: readonly string[] = ['019a0c5e-7f00-7a93-b1c4-0e6d28f75a42']

interface Described {
  readonly object: string
  readonly type: string
  readonly description: string
  /** Schema of the record. */
  readonly properties: Json
  /** Properties of `data` in addition to those of every event. */
  readonly added?: Json
}

/** `{object, id, record, previous, changedFields, actorId}` and the data of the type (specification, Events). */
export function dataSchema({ object, type, description, properties, added = {} }: Described): Json {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: type,
    description,
    type: 'object',
    required: ['object', 'id', 'record', ...Object.keys(added)],
    additionalProperties: false,
    properties: {
      object: { const: object },
      id: { type: 'string' },
      record: { type: 'object', required: ['id'], additionalProperties: true, properties },
      previous: {
        type: ['object', 'null'],
        description: 'The record before the change; updates only. Null if the recipient could not see it then.',
      },
      changedFields: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'Names of the columns that changed; updates only.',
      },
      actorId: { type: ['string', 'null'], description: 'The user who caused the event; null when the system did.' },
      redactedFields: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Names of the fields that the profile of the recipient hides. They are absent from record, previous and changedFields; an update of which the recipient may read no changed field is not sent. Absent if nothing is hidden.',
      },
      omitted: {
        type: 'array',
        items: { type: 'string' },
        description:
          'What a delivery to a webhook leaves out because its body would have more than 1,048,576 bytes: previous, which is absent then, and if that is not enough also record, which has its id only. Read the record by its id. Absent if nothing is left out.',
      },
      ...added,
    },
  }
}
