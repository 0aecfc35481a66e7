import type { RequestContext } from '../../kernel/request.ts'
import type { Lead } from '../lead/lead.ts'

/** Moves the tasks and activities of a converted lead to its contact. */
export async function moveRelatedWork(_ctx: RequestContext, _lead: Lead): Promise<void> {}
