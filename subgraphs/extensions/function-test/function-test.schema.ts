import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { answersMax } from './bounds.ts'

const text = { type: 'string', maxLength: 2_000 }

/** The file of a test: `functions/<apiName>/tests/<name>.json`. */
export const functionTestSchema = new FileSchema({
  title: 'test of a function',
  description:
    'A test of a serverless function: functions/<apiName>/tests/<name>.json. It runs the function with an input, answers its requests from the file, and compares what it returns. What the function changes by context.api is tried and rolled back.',
  properties: {
    description: { type: ['string', 'null'], maxLength: 2_000, description: 'What the test shows.' },
    input: { type: 'object', default: {}, description: 'What the function gets.' },
    expect: {
      type: 'object',
      description: 'How the function must end: with an output, or with an error.',
      properties: {
        output: {
          description:
            'What the function must return. An object may have further properties; everything else must be equal, and a list must have as many items.',
        },
        error: {
          type: 'object',
          description: 'With which error the function must fail.',
          properties: {
            name: { ...text, minLength: 1, description: 'The name of the error, such as TypeError.' },
            message: { ...text, minLength: 1, description: 'A text that the message of the error contains.' },
          },
          minProperties: 1,
          additionalProperties: false,
        },
      },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    },
    fetch: {
      type: 'array',
      maxItems: answersMax,
      default: [],
      description:
        'The answers to the requests of the function. A request without one fails the test. Answers to the same method and URL are given in their order; the last one is given to all further requests.',
      items: {
        type: 'object',
        properties: {
          method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], default: 'GET', description: 'The method.' },
          url: {
            type: 'string',
            maxLength: 8_192,
            pattern: '^(https://\\S+|credential:[a-z][a-z0-9_]{1,47}/\\S*)$',
            description:
              'The whole URL of fetch; of context.credentials.fetch `credential:<apiName><path>`, such as credential:erp/stock?sku=7.',
          },
          status: { type: 'integer', minimum: 200, maximum: 599, default: 200, description: 'The status.' },
          headers: {
            type: 'object',
            additionalProperties: { type: 'string' },
            default: {},
            description: 'The headers. A body that is no text has the Content-Type application/json.',
          },
          body: { description: 'The body: a text as it is, every other value as JSON. Absent: empty.' },
        },
        required: ['url'],
        additionalProperties: false,
      },
    },
  },
  required: ['expect'],
})

export interface ListedAnswer {
  readonly method?: string
  readonly url: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Expectation =
  | { readonly output: unknown; readonly error?: undefined }
  | { readonly error: { readonly name?: string; readonly message?: string }; readonly output?: undefined }

/** The content of a file that the schema accepts. */
export interface FunctionTest {
  readonly input?: Readonly<Record<string, unknown>>
  readonly expect: Expectation
  readonly fetch?: readonly ListedAnswer[]
}
