import type { RequestContext } from '../../kernel/request.ts'

/** The services that the operations of AI workflows use in addition to the database. */
export type TriggerContext = RequestContext<'vault' | 'languageModel'>
