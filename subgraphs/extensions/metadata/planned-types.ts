import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import type { MetadataType } from './metadata-type.ts'

/** Component types of the format that organizations cannot have yet. Their resources will have them as `component`. */
interface PlannedType {
  readonly folder: string
  readonly nouns: string
  readonly schema: FileSchema
}

const builtIn = ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY']
const textOrNull = { type: ['string', 'null'] }

export const plannedTypes: Readonly<Partial<Record<MetadataType, PlannedType>>> = {
  PAGE: {
    folder: 'pages',
    nouns: 'Pages',
    schema: new FileSchema({
      title: 'page',
      description: 'A page: pages/<apiName>.page.json.',
      properties: {
        apiName: { type: 'string', pattern: '^[a-z][a-z0-9_]{1,62}$', description: 'Name of the page.' },
        label: { type: 'string', minLength: 1, maxLength: 80, description: 'Name for people.' },
        description: { ...textOrNull, description: 'What it is for.' },
        objectType: {
          type: 'string',
          pattern: `^(?:${builtIn.join('|')}|custom:[a-z][a-z0-9_]{0,62})$`,
          description: 'The record type.',
        },
        recordTypeField: {
          ...textOrNull,
          description: 'The picklist that acts as record type; required when an assignment names a recordType.',
        },
        assignments: {
          type: 'array',
          description: 'Who sees the page, for which records.',
          items: {
            type: 'object',
            properties: {
              profile: { ...textOrNull, description: 'Name of the profile; null: everyone else.' },
              recordType: { ...textOrNull, description: 'The value of recordTypeField; null: all.' },
            },
          },
        },
        definition: { description: 'What the page shows.' },
      },
      required: ['apiName', 'label', 'objectType', 'definition'],
    }),
  },
}
