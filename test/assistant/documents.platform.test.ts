import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { forgetUploads } from '../../subgraphs/assistant/document/document.jobs.ts'
import { searchDocuments } from '../../subgraphs/assistant/document/search-documents.ts'
import { deletePassages, storePassages } from '../../subgraphs/assistant/document/store-passages.ts'
import { createTeam } from '../../subgraphs/identity/public.ts'
import { sweepFiles } from '../../subgraphs/kernel/file/sweep-files.ts'
import type { StatementKind } from '../../subgraphs/kernel/database/sql.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { readDocuments } from './documents.fixture.ts'

const platform = usePlatform()
let organizationId: string
let ann: Member
let ben: Member
let reader: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  ann = await platform.member({ organizationId })
  ben = await platform.member({ organizationId })
  reader = await platform.member({ organizationId, role: 'READ_ONLY' })
})

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')
const add = (values: object, by = ann) => by.rest.knowledgeDocumentCreate!({ body: { name: 'Terms.md', ...values } })
const added = async (content: string, values: object = {}, by = ann): Promise<string> => {
  const { status, body } = await add({ content: base64(content), ...values }, by)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}
const contentUrl = (id: string): string => `${platform.url}/v1/documents/${id}/content`
const put = (id: string, body: unknown, by = ann, headers: Record<string, string> = {}) =>
  fetch(contentUrl(id), {
    method: 'PUT',
    headers: { ...by.headers, 'Content-Type': 'application/octet-stream', ...headers },
    ...({ body, duplex: 'half' } as object),
  })
const get = (id: string, by = ann, headers: Record<string, string> = {}) =>
  fetch(contentUrl(id), { headers: { ...by.headers, ...headers } })
const read = async (id: string, by = ann) => (await by.rest.knowledgeDocument!({ id })).body
const search = async (query: string, by = ann, more: object = {}) => {
  const { status, body } = await by.rest.knowledgeDocumentSearch!({ query: { query, ...more } })
  expect(status).toBe(200)
  return body as Record<string, unknown>[]
}
const names = (found: readonly Record<string, unknown>[]) => found.map(({ documentName }) => documentName)

const work = (organization = organizationId): Promise<void> => readDocuments(platform, organization)

describe('a document', () => {
  it('has its own file, of several that one mutation with an Idempotency-Key adds', async () => {
    const create = (name: string, content: string): string =>
      `${name}: knowledgeDocumentCreate(input: { name: "${name}.md", content: "${base64(content)}" }) { id }`
    const document = `mutation { ${create('one', 'First')} ${create('two', 'Second')} ${create('three', 'Second')} }`
    const { body } = await ann.graphql(document, {}, { 'Idempotency-Key': newId() })
    expect(body.errors).toBeUndefined()
    const files = ['one', 'two', 'three'].map(async (name) => (await get(body.data[name].id as string)).text())
    expect(await Promise.all(files)).toEqual(['First', 'Second', 'Second'])
  })

  it('and its file are tried in dry runs, which store no byte and begin no reading', async () => {
    const headers = { Prefer: 'dry-run' }
    const files = () => readdir(join(platform.services.files.dataDir, 'files', organizationId)).catch(() => [])
    const tried = await ann.rest.knowledgeDocumentCreate!({
      body: { name: 'Terms.md', content: base64('Tried') },
      headers,
    })
    expect([tried.status, tried.body.status, tried.body.bytes]).toEqual([200, 'PROCESSING', 5])
    const { id } = (await add({})).body as { id: string }
    const sent = await put(id, 'Tried', ann, headers)
    expect([sent.status, sent.headers.get('preference-applied')]).toEqual([200, 'dry-run'])
    expect(await sent.json()).toMatchObject({ id, status: 'PROCESSING', bytes: 5 })
    expect((await put(id, 'Tried', await platform.member(), headers)).status).toBe(404)
    expect((await put(id, 'Tried', reader, headers)).status).toBe(403)
    expect([await files(), (await read(id)).status]).toEqual([[], 'UPLOADING'])
    expect((await put(id, 'Kept')).status).toBe(200)
    expect(await (await get(id)).text()).toBe('Kept')
  })

  it('is added with its file, read in the background, found by its words and quoted with its place', async () => {
    const content =
      '# Delivery\nWe deliver within five days. Damaged goods are replaced.\n\n# Termination\nEither party may terminate. The notice period is ninety days.\n'
    const { status, body, headers } = await add({ content: base64(content), isShared: true })
    expect([status, headers.get('location')]).toEqual([201, `/v1/documents/${body.id as string}`])
    expect(body).toMatchObject({
      name: 'Terms.md',
      format: 'MARKDOWN',
      status: 'PROCESSING',
      bytes: content.length,
      ownerId: ann.userId,
    })
    expect(await search('notice period')).toEqual([])
    await work()
    expect(await read(body.id as string)).toMatchObject({
      status: 'READY',
      passageCount: 2,
      pageCount: null,
      failureCode: null,
    })
    expect(await search('How long is the notice period?')).toEqual([
      {
        documentId: body.id,
        documentName: 'Terms.md',
        position: 2,
        text: 'Termination\nEither party may terminate. The notice period is ninety days.',
        quote: 'The notice period is ninety days.',
        heading: 'Termination',
        page: null,
        line: 4,
      },
    ])
    expect((await search('deliveries'))[0]).toMatchObject({ position: 1, quote: 'We deliver within five days.' })
    expect(await search('giraffe')).toEqual([])
  })

  it('takes its file afterwards, in parts, once, and answers ranges of it as an attachment', async () => {
    const { body } = await add({ name: 'Größe "x".txt', format: 'TEXT' })
    const id = body.id as string
    expect([body.status, body.bytes, (await get(id)).status]).toEqual(['UPLOADING', null, 404])
    async function* parts(): AsyncGenerator<Uint8Array> {
      for (let part = 0; part < 40; part++) yield Buffer.from(`line ${part} `.repeat(1_000))
    }
    const sent = await put(id, ReadableStream.from(parts()))
    expect([sent.status, ((await sent.json()) as { status: string }).status]).toEqual([200, 'PROCESSING'])
    expect((await put(id, 'again')).status).toBe(409)
    const whole = await get(id)
    const text = await whole.text()
    expect([whole.status, text.slice(0, 7), text.length]).toEqual([200, 'line 0 ', 310_000])
    const headers = ['content-type', 'content-length', 'x-content-type-options', 'content-disposition', 'accept-ranges']
    expect(headers.map((name) => whole.headers.get(name))).toEqual([
      'text/plain',
      '310000',
      'nosniff',
      `attachment; filename="Gr__e _x_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%22x%22.txt`,
      'bytes',
    ])
    const part = await get(id, ann, { Range: 'bytes=5-12' })
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      text.slice(5, 13),
      'bytes 5-12/310000',
    ])
    expect((await get(id, ann, { Range: 'bytes=310000-' })).status).toBe(416)
    expect((await get(id, ann, { 'If-None-Match': whole.headers.get('etag')! })).status).toBe(304)
  })

  it('is deleted with its file and passages, and what was counted of them', async () => {
    const kept = await added('The turbine is warranted for two years.')
    const id = await added('The turbine is delivered.')
    await work()
    expect((await ann.rest.knowledgeDocumentDelete!({ id })).status).toBe(204)
    expect([(await ann.rest.knowledgeDocument!({ id })).status, (await get(id)).status]).toEqual([404, 404])
    expect((await search('turbine')).map(({ documentId }) => documentId)).toEqual([kept])
    await work()
    const rest = await platform.query(
      `select (select count(*)::int from assistant.document where organization_id = $1) as documents,
         (select array_agg(lexeme || passages order by lexeme) from assistant.document_term where organization_id = $1) as terms,
         (select passages || ' ' || words from assistant.document_corpus where organization_id = $1) as corpus`,
      [organizationId],
    )
    expect(rest).toEqual([{ documents: 1, terms: ['turbin1', 'two1', 'warrant1', 'year1'], corpus: '1 7' }])
    platform.advanceClock(24 * 3_600_000 + 1)
    await sweepFiles.run(platform.services)
    expect(await readdir(join(platform.dataDir, 'files', organizationId))).toHaveLength(1)
  })

  it('whose file does not arrive is deleted after a day', async () => {
    const { body } = await add({})
    platform.advanceClock(24 * 3_600_000 + 1)
    await forgetUploads.run(platform.services)
    expect((await ann.rest.knowledgeDocument!({ id: body.id as string })).status).toBe(404)
  })

  it('is refused with a reason, and nothing is stored', async () => {
    const refusals = [
      [{ name: 'unknown.exe' }, 'format', 'REQUIRED'],
      [{ content: 'no base64!' }, 'content', 'NOT_BASE64'],
      [{ content: base64(Buffer.alloc(390_001)) }, 'content', 'TOO_LONG'],
      [{ recordType: 'ACCOUNT' }, 'recordId', 'REQUIRED'],
      [{ recordId: newId() }, 'recordType', 'REQUIRED'],
      [{ recordType: 'ACCOUNT', recordId: newId() }, 'recordId', 'UNKNOWN_REFERENCE'],
      [{ recordType: 'ACCOUNT', recordId: newId(), isShared: true }, 'isShared', 'NOT_ALLOWED'],
    ] as const
    for (const [values, path, code] of refusals) {
      const { status, body } = await add(values)
      expect([status, body.errors[0].path, body.errors[0].code]).toEqual([400, path, code])
    }
    expect((await add({ content: base64('x') }, reader)).status).toBe(403)
    expect(await platform.query('select from assistant.document where organization_id = $1', [organizationId])).toEqual(
      [],
    )
    expect(await platform.query('select from kernel.file where organization_id = $1', [organizationId])).toEqual([])
  })

  it('takes no file that is too large, of another type, or from somebody else, and then still takes the right one', async () => {
    const { body } = await add({ isShared: true })
    const id = body.id as string
    const large = ReadableStream.from([Buffer.alloc(20_971_521)])
    expect((await put(id, large)).status).toBe(413)
    expect((await put(id, 'x', ann, { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await put(id, 'x', reader)).status).toBe(403)
    expect((await put(newId(), 'x')).status).toBe(404)
    expect(await platform.query('select from kernel.file where organization_id = $1', [organizationId])).toEqual([])
    expect((await put(id, 'The right one.')).status).toBe(200)
  })
})

describe('who sees a document', () => {
  it('is its owner, and everybody in the organization if it is shared', async () => {
    const own = await added('Secret giraffe.', { name: 'own.txt' })
    const shared = await added('Shared giraffe.', { name: 'shared.txt', isShared: true })
    await work()
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    expect(new Set(names(await search('giraffe')))).toEqual(new Set(['own.txt', 'shared.txt']))
    for (const other of [ben, admin, reader]) {
      expect(names(await search('giraffe', other))).toEqual(['shared.txt'])
      expect([(await other.rest.knowledgeDocument!({ id: own })).status, (await get(own, other)).status]).toEqual([
        404, 404,
      ])
    }
    expect((await reader.rest.knowledgeDocumentDelete!({ id: shared })).status).toBe(403)
    expect(await search('giraffe', stranger)).toEqual([])
    for (const id of [own, shared]) {
      expect((await get(id, stranger)).status).toBe(404)
      expect((await stranger.rest.knowledgeDocumentDelete!({ id })).status).toBe(404)
      expect((await get(id)).status).toBe(200)
    }
    expect((await admin.rest.knowledgeDocumentDelete!({ id: shared })).status).toBe(204)
  })

  it('is exactly who sees the record that it is about', async () => {
    const teamId = await createTeam(platform.services, organizationId, { name: 'North', memberIds: [] }).then(
      ({ id }) => id,
    )
    const seller = await platform.member({ organizationId, visibility: 'OWN' })
    const colleague = await platform.member({ organizationId, visibility: 'TEAM', teamId })
    const recordId = (await account(seller)).id as string
    const id = await added('The giraffe costs 900.', { recordType: 'ACCOUNT', recordId, name: 'price.txt' }, ann)
    await work()
    expect(names(await search('giraffe', seller))).toEqual(['price.txt'])
    expect(names(await search('giraffe', seller, { recordId }))).toEqual(['price.txt'])
    expect(await search('giraffe', seller, { recordId: newId() })).toEqual([])
    expect(await search('giraffe', colleague)).toEqual([])
    expect((await get(id, colleague)).status).toBe(404)
    await ann.rest.accountUpdate!({ id: recordId, body: { ownerId: colleague.userId } })
    expect([(await search('giraffe', seller)).length, (await search('giraffe', colleague)).length]).toEqual([0, 1])
    const list = (await colleague.rest.knowledgeDocumentList!({ query: { recordId } })).body
    expect([list.total, list.data[0].id]).toEqual([1, id])
    await ann.rest.accountDelete!({ id: recordId })
    expect([(await search('giraffe', ann)).length, (await get(id)).status]).toEqual([0, 404])
  })
})

/** A PDF whose only page has a stream that unpacks to this many megabytes. */
function pdfBomb(megabytes: number): Buffer {
  const stream = deflateSync(Buffer.alloc(megabytes * 1_048_576, '(a) Tj '), { level: 9 })
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>',
  ]
  const head = `%PDF-1.4\n${objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')}`
  const last = `4 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`
  return Buffer.concat([
    Buffer.from(head + last),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n'),
  ])
}

describe('the mode documents', () => {
  const ask = async (content: string, by: Member) => {
    const { id } = (await by.rest.conversationCreate!({ body: {} })).body as { id: string }
    const { status, body } = await by.rest.conversationSend!({ id, body: { content, mode: 'documents' } })
    expect(status).toBe(201)
    return body as Record<string, unknown>
  }

  it('quotes what the caller sees, with its place, without links, and cites the document', async () => {
    const text = '# Notice\nThe notice period is ninety days, see https://evil.example/x.\n'
    const id = await added(text, { isShared: true })
    await added('The notice period is secret.', { name: 'own.txt' })
    await work()
    const answer = await ask('What is the notice period?', ben)
    expect(answer).toMatchObject({
      content: '> The notice period is ninety days, see (link removed)\nTerms.md, "Notice", line 1',
      citations: [{ entityType: 'DOCUMENT', entityId: id, field: null, label: 'Terms.md' }],
      toolCalls: [{ name: 'search_documents', output: { rows: 1 }, status: 'OK' }],
      model: null,
    })
    expect((await ask('What is the notice period?', ann)).citations).toHaveLength(2)
  })

  it('says that it found nothing', async () => {
    const answer = await ask('giraffe', ben)
    expect(answer).toMatchObject({ citations: [], status: 'COMPLETED' })
    expect(answer['content']).toMatch(/^I found nothing about this in the documents that you see\./)
  })
})

describe('documents that are bombs', () => {
  it('become FAILED with a reason, while another organization is answered at once', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    const bombs = [
      ['bomb.pdf', pdfBomb(300)],
      ['bomb.docx', randomBytes(10_000)],
      [
        'objects.pdf',
        Buffer.from(`%PDF-1.4\n${'1 0 obj\n<< >>\nendobj\n'.repeat(300_000)}trailer\n<< /Root 1 0 R >>\n`),
      ],
    ] as const
    const ids: string[] = []
    for (const [name, bytes] of bombs) {
      const { body } = await add({ name })
      ids.push(body.id as string)
      expect((await put(body.id as string, bytes)).status).toBe(200)
    }
    const progress = { isWorking: true }
    const working = work().finally(() => (progress.isWorking = false))
    const slowest = { ms: 0 }
    while (progress.isWorking) {
      const began = performance.now()
      expect((await stranger.rest.accountList!()).status).toBe(200)
      slowest.ms = Math.max(slowest.ms, performance.now() - began)
    }
    await working
    const states = await Promise.all(ids.map((id) => read(id)))
    expect(states.map(({ status, failureCode }) => [status, failureCode])).toEqual([
      ['FAILED', 'TOO_COMPLEX'],
      ['FAILED', 'UNREADABLE'],
      ['FAILED', 'UNREADABLE'],
    ])
    // A blocked event loop would show as seconds.
    expect(slowest.ms).toBeLessThan(1_500)
    expect((await get(ids[1]!)).status).toBe(200)
  }, 90_000)

  it('is tried again while the file cannot be read, and fails after the last attempt', async () => {
    const id = await added('Lost.')
    const [row] = await platform.query<{ fileId: string }>(
      'select file_id as "fileId" from assistant.document where id = $1',
      [id],
    )
    await rm(join(platform.dataDir, 'files', organizationId, row!.fileId))
    for (let attempt = 1; attempt <= 3; attempt++) {
      await work()
      expect((await read(id)).status).toBe('PROCESSING')
    }
    await work()
    expect(await read(id)).toMatchObject({ status: 'FAILED', failureCode: 'INTERRUPTED' })
  })
})

describe('the search', () => {
  const passagesOf = 30_000

  /** The plan of the statement that ranks passages, for its values. */
  async function planOf(query: string): Promise<string> {
    const tenant = platform.services.tenants.of(organizationId)
    const { caller, ...ctx } = systemContext(platform.services, organizationId)
    const plan: string[] = []
    const db: typeof tenant = {
      ...tenant,
      async query<R>(text: string, values: readonly unknown[] = [], kind?: StatementKind) {
        if (kind === 'SCAN')
          await tenant.transaction(async (sql) => {
            await sql.query(`set local plan_cache_mode = 'force_custom_plan'`)
            const rows = await sql.query(`explain (costs off) ${text}`, values)
            plan.push(...rows.map((row) => String(Object.values(row)[0])))
          })
        return tenant.query<R>(text, values, kind)
      },
    }
    await searchDocuments({ ...ctx, caller: { ...caller, scopes: ['*'] }, db }, { query, limit: 8 })
    return plan.join('\n')
  }

  it('ranks the passages by BM25', async () => {
    // How often each passage has each word, between words that are not asked for.
    const counts = Array.from({ length: 14 }, (_, at) => ({
      falcon: at % 4,
      otter: (at * 5) % 3,
      heron: at === 9 ? 2 : 0,
      filler: 20 + 9 * ((at * 7) % 5),
    }))
    const asked = ['falcon', 'otter', 'heron'] as const
    const texts = counts.map((count) =>
      Object.entries(count)
        .flatMap(([word, times]) => Array.from({ length: times }, () => word))
        .join(' '),
    )
    const documentId = await added('Empty.', { isShared: true })
    await work()
    const lengths = texts.map((text) => text.split(' ').length)
    await deletePassages(platform.services.database, { organizationId, documentId })
    await storePassages(
      platform.services.database,
      { organizationId, documentId },
      texts.map((text, at) => ({ text, words: lengths[at]!, heading: null, page: null, line: null })),
    )
    const average = lengths.reduce((sum, words) => sum + words, 0) / lengths.length
    const scores = counts.map((count, at) =>
      asked.reduce((sum, word) => {
        const passages = counts.filter((one) => one[word] > 0).length
        const weight = Math.log(1 + (counts.length - passages + 0.5) / (passages + 0.5))
        const times = count[word]
        return sum + (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * lengths[at]!) / average))
      }, 0),
    )
    const ranked = [...scores.keys()].filter((at) => scores[at]! > 0).sort((a, b) => scores[b]! - scores[a]!)
    const found = await search(asked.join(' '), ann, { limit: 20 })
    expect(found.map(({ position }) => position)).toEqual(ranked.map((at) => at + 1))
  })

  it('uses the index by organization among many passages, and ranks rare words first', async () => {
    const documentId = await added('The giraffe is rare.', { isShared: true, name: 'rare.txt' })
    await work()
    await platform.query(
      `insert into assistant.document_passage (organization_id, document_id, position, text, words, search)
       select $1, $2, n + 1, t.text, 60, to_tsvector('english', t.text)
       from generate_series(1, $3) n cross join lateral (
         select 'turbine ' || string_agg('word' || (n * 7919 + k * k * 31) % 20000, ' ') || case when n % 1000 = 0 then ' zebra' else '' end as text
         from generate_series(1, 28) k) t`,
      [organizationId, documentId, passagesOf],
    )
    await platform.query(
      `insert into assistant.document_term (organization_id, lexeme, passages)
       select organization_id, u.lexeme, count(*) from assistant.document_passage p cross join lateral unnest(p.search) u
       where p.organization_id = $1 group by 1, 2 on conflict (organization_id, lexeme) do update set passages = excluded.passages`,
      [organizationId],
    )
    await platform.query(
      'update assistant.document_corpus set passages = $2::int, words = $2::int * 60 where organization_id = $1',
      [organizationId, passagesOf + 1],
    )
    await platform.query('analyze assistant.document_passage')
    await search('turbine')
    const found = await search('turbine zebra giraffe', ann, { limit: 20 })
    expect(found[0]).toMatchObject({ position: 1, text: 'The giraffe is rare.' })
    expect(found.map(({ text }) => String(text).endsWith('zebra'))).toEqual([
      false,
      ...Array.from({ length: 19 }, () => true),
    ])
    expect(await search('turbine', ann)).toHaveLength(8)
    for (const query of ['zebra', 'turbine', 'turbine zebra giraffe'])
      expect(await planOf(query), query).toContain('Bitmap Index Scan on document_passage_search')
  }, 120_000)
})
