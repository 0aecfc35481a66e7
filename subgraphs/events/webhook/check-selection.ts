import { invalid, Refusal } from '../../kernel/errors.ts'
import type { GraphPort } from '../../kernel/graph-port/graph-port.ts'
import { newId } from '../../kernel/ids.ts'
import type { Caller } from '../../kernel/context.ts'
import type { EventNames } from './event-names.ts'
import { parseSelection } from './selection.ts'

/** Maximum cost of a selection. A query of a client may cost ten times as much, but a selection is read for every event. */
export const selectionCostMax = 1000

/** The caller as whom selections are read: the owner of the webhook, with what an API key with all scopes may read. */
export const asWebhookOwner = (owner: Omit<Caller, 'kind' | 'scopes'>): Caller => ({
  ...owner,
  kind: 'API_KEY',
  scopes: ['*'],
})

/**
 * Refuses a selection that is not valid, is too expensive, or is on a type of which no event is subscribed to. The caller must hold the
 * scopes of everything that it selects, so that a key cannot read by a webhook what it cannot read itself.
 */
export async function refuseBadSelection(
  { graph, caller }: { readonly graph: GraphPort; readonly caller: Caller },
  names: EventNames,
  text: string,
  events: readonly string[],
): Promise<void> {
  const types = names.recordTypes(events)
  for (const [type, document] of parseSelection(text)) {
    if (!types.has(type)) {
      const message = `The fragment of selection must be on the type of a record in events, not on ${type}.`
      throw invalid({ path: 'selection', code: 'UNKNOWN_TYPE', message })
    }
    const query = { document, variables: { id: newId() }, costMax: selectionCostMax }
    try {
      await graph.check(query, caller)
      await graph.check(query, asWebhookOwner(caller))
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** A selection is a value of the webhook, so what is wrong with it is a problem of that value. A missing scope stays what it is. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.status !== 400) return error
  return invalid({ path: 'selection', code: error.code, message: `selection is not accepted: ${error.message}` })
}
