import type { Logger } from 'pino'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import { defectMessage, isErrorCode, Refusal } from '../../kernel/errors.ts'
import type { GraphError, GraphPort } from '../../kernel/graph-port/graph-port.ts'
import { newId } from '../../kernel/ids.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { asWebhookOwner, selectionCostMax } from './check-selection.ts'
import { selectionQueries } from './selection.ts'
import type { SubscribedWebhook } from './webhook-reader.ts'

const timeoutMs = 5000
/** Maximum size of what is selected, as JSON. */
const charactersMax = 262_144
const errorsMax = 10

/** Why a part of a selection, or all of it, could not be read. */
export interface SelectionError {
  readonly code: string
  readonly message: string
  readonly path: readonly (string | number)[]
}

/** Members of `data` in a delivery. */
export interface Selected {
  /** What the selection selects, at the time of the delivery; null if it could not be read. */
  readonly selection: Readonly<Record<string, unknown>> | null
  /** Present if something could not be read. */
  readonly selectionErrors?: readonly SelectionError[]
}

interface SelectionServices {
  readonly graph: GraphPort
  readonly log: Pick<Logger, 'error'>
}

const failed = (code: string, message: string): Selected => ({
  selection: null,
  selectionErrors: [{ code, message, path: [] }],
})

const isTransient = ({ extensions }: GraphError): boolean => extensions?.['code'] === 'UNAVAILABLE'

/** The path inside the selection: clients do not know the root field. */
function errorOf({ message, path = [], extensions = {} }: GraphError): SelectionError {
  const { code } = extensions
  return { code: isErrorCode(code) ? code : 'INTERNAL', message, path: path.slice(1) }
}

/**
 * What the webhook selects of the record of an event, read as the owner of the webhook with all permission checks; null if it selects
 * nothing of such records, or if the event says that the record was deleted. An event is delivered also without its selection, unless that is
 * not available at the moment: then this rejects, so that the delivery is repeated, if it is not late. Must not be called in a transaction.
 */
export async function selectionFor(
  { graph, log }: SelectionServices,
  { id: webhookId, ownerId, selection: text }: Pick<SubscribedWebhook, 'id' | 'ownerId' | 'selection'>,
  { object, type, recordId, isLate }: Pick<LoggedEvent, 'object' | 'type' | 'recordId'> & { readonly isLate?: boolean },
  owner: ActingUser,
): Promise<Selected | null> {
  const shape = text === null ? null : recordNamed(object)
  const operation = shape?.events?.types[type]?.operation
  if (text === null || !shape || operation === undefined || operation === 'DELETE') return null
  try {
    const document = selectionQueries(text).get((shape.entity as { readonly name: string }).name)
    if (document === undefined) return null
    const { organizationId, role, visibility, ownerIds, fields, entitlements } = owner
    const acting = { organizationId, userId: ownerId, role, visibility, ownerIds, fields, entitlements }
    const caller = asWebhookOwner({ ...acting, credentialId: webhookId, ip: '', userAgent: '' })
    const query = { document, variables: { id: recordId }, costMax: selectionCostMax }
    const { data, errors } = await graph.read(query, caller, { requestId: `req_${newId()}`, timeoutMs })
    const selection = (data?.['selection'] ?? null) as Selected['selection']
    if (errors.some(isTransient)) throw new Refusal('UNAVAILABLE', 'The selection could not be read.')
    if (JSON.stringify(selection).length > charactersMax)
      return failed('ANSWER_TOO_LARGE', `The selection has more than ${charactersMax} characters.`)
    return errors.length === 0 ? { selection } : { selection, selectionErrors: errors.slice(0, errorsMax).map(errorOf) }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'UNAVAILABLE' && !isLate) throw error
    // A selection may have become invalid by a later version of the schema.
    if (error instanceof Refusal) return failed(error.code, error.message)
    log.error({ err: error, webhookId }, 'the selection of a webhook could not be read')
    return failed('INTERNAL', defectMessage)
  }
}
