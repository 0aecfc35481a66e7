import { eachOrganization } from '../../identity/public.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { buildEntries, needsEntries } from '../../kernel/search/build-entries.ts'
import { findFrequentLexemes } from '../../kernel/search/frequent-lexemes.ts'
import { usualDigest } from '../../kernel/search/searched-types.ts'
import { deleteUnusedWords, hasWords } from '../../kernel/search/unused-words.ts'

/** Builds the entries of organizations whose records are not all searched, or by other fields than those of now. */
export const searchBuild: Job = {
  name: 'search.build',
  cron: '* * * * *',
  run: (services) =>
    eachOrganization(services, needsEntries, (organizationId) => buildEntries(services, organizationId), [
      usualDigest(),
    ]),
}

export const searchFrequent: Job = { name: 'search.frequent', cron: '40 2 * * *', run: findFrequentLexemes }

/** Deletes words of titles that no title has any more. */
export const searchWords: Job = {
  name: 'search.words',
  cron: '20 3 * * *',
  run: (services) =>
    eachOrganization(services, hasWords, (organizationId) => deleteUnusedWords(services, organizationId)),
}
