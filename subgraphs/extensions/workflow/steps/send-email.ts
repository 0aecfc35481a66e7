import { mutate } from './graph-call.ts'
import { idSchema } from './record-values.ts'
import { problemAt, settings, text, type StepInput, type StepType } from './step-type.ts'

const addresses = { type: 'array', minItems: 1, maxItems: 10, items: text(2_000) }

export const sendEmail: StepType = {
  type: 'SEND_EMAIL',
  schema: settings(
    {
      to: addresses,
      cc: addresses,
      bcc: addresses,
      subject: text(1_000),
      bodyHtml: text(50_000),
      bodyText: text(50_000),
      templateId: idSchema,
      variables: { type: 'object', maxProperties: 100 },
      contactId: idSchema,
      leadId: idSchema,
      accountId: idSchema,
      opportunityId: idSchema,
      threadId: idSchema,
      mailboxId: idSchema,
      trackOpens: { type: 'boolean' },
      trackClicks: { type: 'boolean' },
    },
    ['to'],
  ),
  scopes: () => ['WRITE_EMAILS'],
  isRepeatable: () => true,
  problems({ config, path }) {
    const hasBody = config['bodyHtml'] !== undefined || config['bodyText'] !== undefined
    if ((config['templateId'] === undefined) === hasBody) return []
    const rule = hasBody ? 'must be absent with a body' : 'is required without bodyHtml and bodyText'
    return [problemAt(`${path}.templateId`, hasBody ? 'NOT_ALLOWED' : 'REQUIRED', rule)]
  },
  input(config, mapping) {
    const { bodyHtml, ...others } = config
    const filled = mapping.filled(others) as StepInput
    return typeof bodyHtml === 'string' ? { ...filled, bodyHtml: mapping.html(bodyHtml) } : filled
  },
  run: (run) =>
    mutate(
      run,
      'mutation ($input: EmailSendInput!) { result: emailSend(input: $input) { id } }',
      { input: run.input },
      (result) => ({
        id: (result as { id: string }).id,
      }),
    ),
}
