import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

const ask = {
  name: 'ask',
  type: 'SCREEN',
  config: { title: 'New account', fields: [{ name: 'company', label: 'Company', type: 'TEXT', required: true }] },
  connectors: { next: 'create' },
}
const create = {
  name: 'create',
  type: 'CREATE_RECORD',
  config: { object: 'ACCOUNT', values: { name: '{{ask.company}}' } },
  connectors: null,
}
const source = {
  name: 'source',
  dataType: 'TEXT',
  isInput: true,
  isOutput: false,
  isCollection: false,
  defaultValue: null,
}

const definition = { variables: [source], startElement: 'ask', elements: [ask, create] }

const rest = () => ({
  description: 'Asks for a company.',
  type: 'SCREEN',
  tags: ['flows'],
  ...definition,
})

const anApiName = (): string => `q_${newId().replaceAll('-', '').slice(-16)}`

export const flowBodies = {
  flowCreate: (_requests: Sender, whole: boolean) =>
    Promise.resolve({
      apiName: anApiName(),
      label: `${freshPrefix()}flow`,
      ...(whole && { ...rest(), id: newId() }),
    }),
  flowUpdate: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ ...(whole && { label: `${freshPrefix()}flow`, ...rest() }) }),
  flowInterviewStart: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ ...(whole && { inputs: { source: 'fair' } }) }),
  flowInterviewNext: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ version: 1, ...(whole && { values: { company: `${freshPrefix()}company` } }) }),
}

/** Gives a flow elements and a status; `key` is its id or apiName. */
async function withElements({ platform, member }: Sender, key: string, status: string): Promise<void> {
  await platform.query(
    `update extensions.flow set variables = $3, start_element = 'ask', elements = $4, status = $5, flow_version = flow_version + 1
     where organization_id = $1 and (id::text = $2 or api_name = $2)`,
    [member.organizationId, key, JSON.stringify([source]), JSON.stringify([ask, create]), status],
  )
}

const field = {
  name: 'company',
  label: 'Company',
  type: 'TEXT',
  required: false,
  helpText: null,
  options: [],
  minimum: null,
  maximum: null,
  maxLength: null,
  object: null,
  value: null,
  error: null,
}
const screen = { title: 'New account', help: null, allowBack: true, allowPause: true, fields: [field] }

/** An interview with this id and status, which the member runs, with a screen before that at which it is. */
async function anInterview({ platform, member }: Sender, id: string, status: string): Promise<void> {
  const { organizationId, userId } = member
  const [flowId, apiName] = [newId(), anApiName()]
  await platform.query(
    `insert into extensions.flow (organization_id, id, api_name, label, type, status, flow_version, variables, start_element, elements,
       custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, 'New account', 'SCREEN', 'ACTIVE', 1, $4, 'ask', $5, '{}', 1, now(), now())`,
    [organizationId, flowId, apiName, JSON.stringify([source]), JSON.stringify([ask, create])],
  )
  const frames = [{ flowId, flowVersion: 1, element: 'ask', variables: { source: null }, outputs: {}, loops: {} }]
  await platform.query(
    `insert into extensions.flow_interview (organization_id, id, flow_id, flow_api_name, flow_version, status, started_by_id, requested_by,
       current_element, screen, state, history, variables, version, created_at, updated_at, expires_at)
     values ($1, $2, $3, $4, 1, $5, $6, '{}', 'ask', $7, $8, $9, '{"source": null}', 1, now(), now(), now() + interval '900 days')`,
    [
      organizationId,
      id,
      flowId,
      apiName,
      status,
      userId,
      JSON.stringify(screen),
      JSON.stringify({ frames, executed: 1 }),
      JSON.stringify([{ frames, element: 'ask', screen }]),
    ],
  )
}

const waiting = (requests: Sender, id: string) => anInterview(requests, id, 'WAITING_FOR_INPUT')

export const flowPreparations = {
  flowActivate: (requests: Sender, id: string) => withElements(requests, id, 'DRAFT'),
  flowDeactivate: (requests: Sender, id: string) => withElements(requests, id, 'ACTIVE'),
  flowInterviewStart: (requests: Sender, apiName: string) => withElements(requests, apiName, 'ACTIVE'),
  flowInterviewList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await waiting(requests, newId())
  },
  flowInterview: waiting,
  flowInterviewNext: waiting,
  flowInterviewBack: waiting,
  flowInterviewPause: waiting,
  flowInterviewResume: (requests: Sender, id: string) => anInterview(requests, id, 'PAUSED'),
  flowInterviewCancel: waiting,
}

/** Each of them changes the status or the version of a flow or an interview, which no second one can. */
export const flowsOnce = [
  'flowActivate',
  'flowDeactivate',
  'flowInterviewNext',
  'flowInterviewBack',
  'flowInterviewPause',
  'flowInterviewResume',
  'flowInterviewCancel',
]
