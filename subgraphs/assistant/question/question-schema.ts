import { conditionsMax, intents, limitMax, operators, questionObjects, textMax, valuesMax } from './question.ts'

const name = { type: 'string', maxLength: 100 }
const nullableName = { type: ['string', 'null'], maxLength: 100 }

/** The JSON Schema of a question. What depends on the record type is checked by `checkQuestion`. */
export const questionSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['intent', 'object'],
  properties: {
    intent: { enum: intents },
    object: { enum: [...questionObjects, 'quota'] },
    filters: {
      type: 'array',
      maxItems: conditionsMax,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['field', 'operator', 'value'],
        properties: {
          field: name,
          operator: { enum: operators },
          value: {
            anyOf: [
              { type: 'string', maxLength: textMax },
              { type: 'number' },
              { type: 'boolean' },
              {
                type: 'array',
                minItems: 1,
                maxItems: valuesMax,
                items: { anyOf: [{ type: 'string', maxLength: textMax }, { type: 'number' }] },
              },
            ],
          },
        },
      },
    },
    measure: nullableName,
    groupBy: nullableName,
    order: {
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['field', 'direction'],
          properties: { field: name, direction: { enum: ['ASC', 'DESC'] } },
        },
      ],
    },
    limit: { type: ['integer', 'null'], minimum: 1, maximum: limitMax },
  },
} as const
