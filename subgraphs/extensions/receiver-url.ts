import { invalid } from '../kernel/errors.ts'
import { receiverUrlProblems } from '../kernel/outbound/receiver-url.ts'
import type { RequestContext } from '../kernel/request.ts'

/** Before a transaction is open, because the name of the host is looked up. A URL that is too long is refused where all other lengths are. */
export async function refuseWrongUrl(
  { outbound }: RequestContext<'outbound'>,
  { url }: { readonly url?: string | null },
  lengthMax: number,
): Promise<void> {
  if (typeof url !== 'string' || url.length > lengthMax) return
  const problems = await receiverUrlProblems(outbound, url, 'url')
  if (problems.length > 0) throw invalid(...problems)
}
