import { Refusal } from '../../../kernel/errors.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { OutboundError } from '../../../kernel/outbound/outbound.ts'
import { depthHeader } from '../../../kernel/automation/depth.ts'
import { receiverUrlProblems } from '../../../kernel/outbound/receiver-url.ts'
import { cutSecretMask, maskedJson, secretMask } from '../../../kernel/sandbox/mask-secrets.ts'
import { storableText } from '../../../kernel/json/storable-json.ts'
import {
  failed,
  problemAt,
  settings,
  text,
  type StepInput,
  type StepOutcome,
  type StepRun,
  type StepType,
} from './step-type.ts'

const timeoutDefault = 10_000
const timeoutMax = 30_000
const answerBytesMax = 1_048_576
/** Characters of the answer that are kept. */
const answerKept = 32_768
const headersMax = 30
const headerName = /^[A-Za-z0-9-]{1,64}$/
/** Headers that belong to the connection, and the depth. */
const ownHeaders = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  depthHeader,
])

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

/** With the depth of what the request may start in turn, so that a workflow that calls this API cannot start itself without end. */
const headersOf = (
  { input, key, depth }: Pick<StepRun, 'input' | 'key' | 'depth'>,
  hasBody: boolean,
): Record<string, string> => {
  const given = isJsonObject(input['headers']) ? input['headers'] : {}
  const headers = Object.entries(given).map(([name, value]) => [
    name.toLowerCase(),
    String(value).replaceAll(/[\r\n\0]/g, ' '),
  ])
  return {
    ...(hasBody && { 'content-type': 'application/json' }),
    'idempotency-key': key,
    'user-agent': 'crm-workflow',
    ...(Object.fromEntries(headers) as Record<string, string>),
    [depthHeader]: String(depth + 1),
  }
}

function bodyOf({ body }: StepInput): string | undefined {
  if (body === undefined || body === null) return undefined
  return typeof body === 'string' ? body : JSON.stringify(body)
}

const isJson = (type: unknown): boolean => typeof type === 'string' && /[/+]json\b/.test(type)

/** What is kept of an answer, without the secrets of its request, which the receiver may repeat. */
function answered(body: Buffer, type: unknown, secrets: Readonly<Record<string, string>>): unknown {
  const whole = storableText(body.toString('utf8'))
  const content = whole.slice(0, answerKept).toWellFormed()
  if (whole.length > answerKept) return cutSecretMask(secrets)(content)
  const mask = secretMask(secrets)
  if (!isJson(type) || body.length > answerKept) return mask(content)
  try {
    return maskedJson(JSON.parse(content), mask)
  } catch {
    return mask(content)
  }
}

async function sendRequest(run: StepRun): Promise<StepOutcome> {
  const { services, input, config } = run
  const url = String(input['url'])
  const [problem] = await receiverUrlProblems(services.outbound, url, 'url')
  if (problem) return failed(problem.code, problem.message)
  const body = bodyOf(input)
  const { timeoutMs = timeoutDefault } = config
  try {
    const answer = await services.credentials.send(
      { organizationId: run.caller.organizationId, managedBy: run.managedBy },
      {
        method: config['method'] as Method,
        url,
        headers: headersOf(run, body !== undefined),
        ...(body !== undefined && { body }),
        timeoutMs: timeoutMs as number,
        answerBytesMax,
      },
    )
    if (answer.status >= 300) return failed('HTTP_STATUS', `The receiver answered with the status ${answer.status}.`)
    const { secrets = {} } = answer.authentication ?? {}
    const kept = answered(answer.body, answer.headers['content-type'], secrets)
    return { output: { status: answer.status, body: kept } }
  } catch (error) {
    if (error instanceof OutboundError) return failed(error.reason, error.message)
    if (error instanceof Refusal) return failed(error.code, error.message)
    throw error
  }
}

export const httpRequest: StepType = {
  type: 'HTTP_REQUEST',
  schema: settings(
    {
      method: { enum: methods },
      url: text(2_000),
      headers: {
        type: 'object',
        maxProperties: headersMax,
        additionalProperties: { type: 'string', maxLength: 4_000 },
      },
      body: {},
      timeoutMs: { type: 'integer', minimum: 500, maximum: timeoutMax },
      idempotent: { type: 'boolean' },
    },
    ['method', 'url'],
  ),
  scopes: () => [],
  isRepeatable: ({ method, idempotent }) => method === 'GET' || idempotent === true,
  async problems({ ctx, config, path }) {
    const names = isJsonObject(config['headers']) ? Object.keys(config['headers']) : []
    const problems = names
      .filter((name) => !headerName.test(name) || ownHeaders.has(name.toLowerCase()))
      .map((name) =>
        problemAt(
          `${path}.headers.${name.slice(0, 64)}`,
          'NOT_ALLOWED',
          'must be the name of a header that may be set',
        ),
      )
    const url = String(config['url'])
    if (!url.includes('{{')) problems.push(...(await receiverUrlProblems(ctx.outbound, url, `${path}.url`)))
    else if (!/^https?:\/\/[^{}/?#]+[/?]/.test(url))
      problems.push(
        problemAt(`${path}.url`, 'NOT_ALLOWED', 'must have a fixed host: outputs are for the path and the query'),
      )
    return problems
  },
  run: sendRequest,
}
