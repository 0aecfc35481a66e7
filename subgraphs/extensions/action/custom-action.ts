import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax, extendedTypeNames } from '../extended-type.ts'

export const actionsMax = 200
export const mappingEntriesMax = 50
export const mappingCharactersMax = 16_384
export const urlMax = 2_000
export const objectTypesMax = 20
export const timeoutBounds = { minimum: 500, maximum: 30_000 } as const
export const retriesBounds = { minimum: 0, maximum: 3 } as const

export const CustomActionKind = enumeration('CustomActionKind', 'Whether an action changes something.', {
  READ: 'It changes nothing, so it may be repeated.',
  WRITE:
    'It changes something. It is repeated only if it is `idempotent`, and users with the role READ_ONLY cannot run it.',
})
export type CustomActionKind = keyof typeof CustomActionKind

const exampleSchema = {
  type: 'object',
  properties: { sku: { type: 'string', maxLength: 40 } },
  required: ['sku'],
  additionalProperties: false,
}

@ObjectType({
  description:
    'An action of the organization on its records: a request to `url`, or a run of `function`. Users, workflows and AI triggers run it. For owners and admins; every user with the scope INVOKE_FUNCTIONS may run one that allows it.',
})
@RequiresScope('CUSTOM_ACTIONS')
@Entity({ schema: 'extensions', tableName: 'custom_action' })
export class CustomAction extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writable: 'ON_CREATE',
    max: 48,
    filled: true,
    description:
      'Name by which the action is run: 2 to 48 lower-case letters, digits and underscores, first a letter. Unique among the actions of the organization; it never changes.',
    example: 'check_stock',
  })
  apiName!: string

  @Column(() => String, { max: 120, filled: true, description: 'Name for people.', example: 'Check the stock' })
  label!: string

  @Column(() => String, {
    nullable: true,
    max: 1_000,
    description: 'What it does; null if not described.',
    example: 'Asks the ERP for the stock of a product.',
  })
  description!: string | null

  @Column(() => String, {
    nullable: true,
    max: urlMax,
    description:
      'Where the action is: an https URL, which gets a POST with `{action, recordId, objectType, input}` as JSON, signed as deliveries of webhooks are, with the authentication of the named credential that lies over it; null if the action is a function. Exactly one of `url` and `function` is set.',
    example: 'https://erp.example.com/api/v2/stock',
  })
  url!: string | null

  @Column(() => String, {
    nullable: true,
    max: 48,
    description:
      '`apiName` of the function that is the action; it gets `{action, recordId, objectType, input}` and acts as its own run-as user; null if the action is a URL. Exactly one of `url` and `function` is set.',
    example: null,
  })
  function!: string | null

  @Column(() => Json, {
    description:
      'JSON Schema of `input`, an object: type, properties, required, additionalProperties, items, enum, const, format, pattern (RE2, compared with the first 1000 characters), bounds of lengths, numbers and items, title, description, default. At most 16384 characters, 8 levels and 200 parts; no references.',
    example: exampleSchema,
  })
  inputSchema!: Record<string, unknown>

  @Column(() => Json, {
    description: 'JSON Schema of the output, an object, with the same keywords as `inputSchema`.',
    example: { type: 'object', properties: { stock: { type: 'integer' } } },
  })
  outputSchema!: Record<string, unknown>

  @Column(() => Json, {
    nullable: true,
    description: `What of the input follows from the record: an object of names in the \`properties\` of \`inputSchema\`, each with a value, in which \`{{record.name}}\` and \`{{record.customFields.region}}\` stand for fields of the record. A text that is one output and nothing else has the JSON type of the field. Each run reads the record as its caller sees it at that moment, who needs the READ scope of its type; a lone output without a value gives no input, and neither does one of a field that the caller's profile hides. An input of the run wins over the mapping. Fields are those of all \`objectTypes\`. At most ${mappingEntriesMax} names and ${mappingCharactersMax} characters as JSON; outputs with filters, no tags. Null: the input is that of the run.`,
    example: { sku: '{{record.externalId}}' },
  })
  inputMapping!: Record<string, unknown> | null

  @Column(() => Json, {
    nullable: true,
    description: `What becomes of the output: an object of fields of the record that a client could change, \`customFields.<API name>\` for a custom field, each with a value, in which \`{{output.stock}}\` stands for a part of the output. A text that is one output and nothing else keeps its JSON type. When a run has succeeded, its caller changes the record, as by an update: the caller needs the WRITE scope of the type and the right to change these fields, which is checked before anything is sent. A field whose lone output is missing stays as it is; null empties it. If the record refuses the change, the run is FAILED with OUTPUT_NOT_WRITTEN, and nothing of it is changed. The change is made once for all attempts with one idempotency key. Needs \`objectTypes\`, whose types all have the fields, and the kind WRITE. At most ${mappingEntriesMax} fields and ${mappingCharactersMax} characters as JSON. Null: nothing.`,
    example: null,
  })
  outputMapping!: Record<string, unknown> | null

  @Column(() => CustomActionKind, {
    indexed: true,
    default: 'WRITE',
    description: 'Whether it changes something.',
    example: 'READ',
  })
  kind!: CustomActionKind

  @Column(() => Boolean, {
    default: false,
    description:
      'Whether a WRITE action may be repeated, because its receiver recognises the `Idempotency-Key`, which all attempts of a run share.',
    example: false,
  })
  idempotent!: boolean

  @Column(() => Int, {
    ...retriesBounds,
    default: 0,
    description:
      'How often a request is repeated after 429, 5xx or no answer, if the action is READ or `idempotent`. Functions are not repeated.',
    example: 2,
  })
  maxRetries!: number

  @Column(() => Int, {
    ...timeoutBounds,
    default: 10_000,
    description: 'Milliseconds after which a run ends, all its attempts together.',
    example: 5_000,
  })
  timeoutMs!: number

  @Column(() => [String], {
    max: extendedTypeMax,
    maxItems: objectTypesMax,
    description: `Record types of \`recordId\`, which is required then: ${extendedTypeNames}. Empty: the action needs no record, and takes one of every type.`,
    example: ['ACCOUNT'],
  })
  objectTypes!: string[]

  @Column(() => Boolean, {
    default: true,
    description: 'Whether users may run it by themselves. Automations may in any case.',
    example: true,
  })
  allowManual!: boolean

  @Column(() => Boolean, {
    default: false,
    description:
      'Whether the action is a tool of the language models of conversations and of `/mcp`, named `action_` and its `apiName`, for callers who may run it. A READ action runs at once, but in a conversation in which texts of records were read only if it is a function without `allowedHosts`, named credentials and WRITE scopes; every other run is a proposal that the user confirms. Needs `allowManual` and `isActive`. The first 32 by name are offered, at most 32 KB of them.',
    example: false,
  })
  exposeAsTool!: boolean

  @Column(() => String, {
    nullable: true,
    max: 1_000,
    description: 'What language models are told about the action; null: its `description`.',
    example: 'Returns how many pieces of a product are in stock.',
  })
  toolDescription!: string | null

  @Column(() => Boolean, {
    default: true,
    description: 'Whether the action can be run; if not, running it is INVALID_STATE.',
    example: true,
  })
  isActive!: boolean

  /** Null after the action was deleted. */
  @Column(() => String, { nullable: true, internal: true })
  sealedSecret!: string | null

  @Column(() => String, { nullable: true, internal: true })
  sealedPreviousSecret!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description:
      'When the secret before the last regeneration stops or stopped to sign requests as well; null if there was none.',
    example: null,
  })
  previousSecretExpiresAt!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description:
      'The secret that signs the requests to `url`, `whsec_` and base64; only in the answer that creates the action or regenerates its secret, otherwise null.',
  })
  secret?: string | null

  @ManagedBy()
  managedBy!: string | null
}
