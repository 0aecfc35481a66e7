import { enumeration } from '../../kernel/record/column.ts'

export const FlowType = enumeration('FlowType', 'How a flow is run.', {
  SCREEN: 'With a user, whom it asks by its screens.',
  AUTOLAUNCHED: 'Without screens: an interview goes on by itself until it ends.',
})
export type FlowType = keyof typeof FlowType

export const FlowStatus = enumeration('FlowStatus', 'Whether a flow can be run.', {
  DRAFT: 'It was never activated.',
  ACTIVE: 'Interviews of it can be started.',
  OBSOLETE: 'It was deactivated. Interviews that had begun go on.',
})
export type FlowStatus = keyof typeof FlowStatus

export const FlowDataType = enumeration('FlowDataType', 'What a variable of a flow can have as its value.', {
  TEXT: 'A text.',
  NUMBER: 'A number.',
  BOOLEAN: 'True or false.',
  DATE: 'A day, as `2026-11-30`.',
  DATETIME: 'A time in ISO 8601.',
  RECORD: 'An object, such as a record that an element has read.',
})
export type FlowDataType = keyof typeof FlowDataType

export const FlowElementType = enumeration(
  'FlowElementType',
  'What an element of a flow does, and its settings `config`.',
  {
    SCREEN:
      'Asks the user: `{title, help?, allowBack?, allowPause?, fields}`, a field being `{name, label, type, required?, options?, defaultValue?, helpText?, minimum?, maximum?, maxLength?, object?}`. Output: the values by the names of the fields.',
    ASSIGNMENT:
      'Gives variables values: `{assignments}`, each `{variable, operator?, value}` with SET (default), ADD, SUBTRACT or APPEND.',
    DECISION:
      'Goes on with the connector of the first of `{outcomes}`, each `{name, conditions, logic?}`, whose conditions are met, otherwise with the connector `default`. Conditions name variables, and outputs as `<element>.<name>`. Output: `{outcome}`.',
    LOOP: 'Goes on with the connector `body` once for each of `{items}`, a list of at most 1,000, as `{{<element>.item}}` and `{{<element>.index}}`, then with `next`. Elements of the body lead back to the loop. Output: `{count}`.',
    GET_RECORDS:
      'Finds records: `{object, filter?, orderBy?, limit?, fields?}`, at most 100. `filter` has operators by field, such as `{"status": {"eq": "NEW"}}`. Output: `{count, records, record}`, `record` being the first one or null.',
    CREATE_RECORD: 'Creates a record: `{object, values}`. Output: `{id, object}`.',
    UPDATE_RECORD: 'Changes a record: `{object, recordId, values}`. Output: `{id, object}`.',
    DELETE_RECORD: 'Deletes a record: `{object, recordId}`. Output: `{id, object}`.',
    ACTION: 'Runs a custom action: `{actionApiName, recordId?, input?}`. Output: that of the action.',
    SUBFLOW: 'Runs another flow to its end: `{flowApiName, inputs?}`. Output: its output variables by name.',
    WAIT: 'Waits: `{minutes}`, 1 to 43,200, or `{until}` a time. It survives restarts. Output: `{until}`.',
  },
)
export type FlowElementType = keyof typeof FlowElementType
