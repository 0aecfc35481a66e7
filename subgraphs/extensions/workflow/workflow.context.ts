import type { RequestContext } from '../../kernel/request.ts'

/** The services that the operations of workflows use in addition to the database. */
export type WorkflowContext = RequestContext<'vault' | 'outbound'>
