import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { account, activity, opportunity } from '../../../test/builders.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { downloadToken } from '../../kernel/file/download-token.ts'
import { sweepFiles } from '../../kernel/file/sweep-files.ts'
import { resumeOrganization, suspendOrganization } from '../../identity/public.ts'
import { newId } from '../../kernel/ids.ts'
import { fileBytesMax } from './file.actions.ts'
import { deleteAbandonedFiles, deleteFileContents } from './file.jobs.ts'

const platform = usePlatform()
let organizationId: string
let ann: Member
let ben: Member
let foreigner: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  ann = await platform.member({ organizationId, visibility: 'OWN' })
  ben = await platform.member({ organizationId, visibility: 'OWN' })
  foreigner = await platform.member()
})

const contentUrl = (id: string): string => `${platform.url}/v1/files/${id}/content`
const add = async (values: object = {}, by = ann): Promise<string> => {
  const { status, body } = await by.rest.fileCreate!({ body: { name: 'Plan.txt', ...values } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}
const put = (id: string, body: unknown, by = ann, headers: Record<string, string> = {}) =>
  fetch(contentUrl(id), {
    method: 'PUT',
    headers: { ...by.headers, 'Content-Type': 'application/octet-stream', ...headers },
    ...({ body, duplex: 'half' } as object),
  })
const get = (id: string, by = ann, headers: Record<string, string> = {}) =>
  fetch(contentUrl(id), { headers: { ...by.headers, ...headers } })
const uploaded = async (content: string, values: object = {}, by = ann): Promise<string> => {
  const id = await add(values, by)
  expect((await put(id, content, by)).status).toBe(200)
  return id
}
/** The link, at the address of the platform under test. */
const here = (link: unknown): string => `${platform.url}${new URL(link as string).pathname}`
const linkTo = async (id: string, by = ann): Promise<string> =>
  here((await by.rest.fileDownloadLink!({ id })).body.downloadUrl)
const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status
const onDisk = () => readdir(join(platform.services.files.dataDir, 'files', organizationId)).catch(() => [])
const stored = () =>
  platform.query('select state, bytes::int as bytes from kernel.file where organization_id = $1', [organizationId])
const namesOf = async (relatedToId: string, by = ann): Promise<string[]> => {
  const { body } = await by.rest.fileList!({ query: { relatedToId } })
  return (body.data as { name: string }[]).map(({ name }) => name)
}

describe('a file', () => {
  it('is attached to a record, takes its bytes once, and is downloaded as an attachment, whole or in part', async () => {
    const { id: relatedToId } = await account(ann)
    const id = await add({ name: 'Größe "x".txt', relatedToType: 'ACCOUNT', relatedToId })
    expect([await status(get(id)), (await ann.rest.file!({ id })).body.size]).toEqual([404, null])
    async function* parts(): AsyncGenerator<Uint8Array> {
      for (let part = 0; part < 40; part++) yield Buffer.from(`line ${part} `.repeat(1_000))
    }
    const sent = await put(id, ReadableStream.from(parts()))
    expect([sent.status, await sent.json()]).toEqual([
      200,
      expect.objectContaining({ id, status: 'READY', size: 310_000, contentType: 'text/plain', version: 2 }),
    ])
    expect(await status(put(id, 'again'))).toBe(409)
    const whole = await get(id)
    const text = await whole.text()
    expect([whole.status, text.length]).toEqual([200, 310_000])
    const headers = ['content-type', 'x-content-type-options', 'content-security-policy', 'content-disposition']
    expect(headers.map((name) => whole.headers.get(name))).toEqual([
      'text/plain',
      'nosniff',
      "sandbox; default-src 'none'",
      `attachment; filename="Gr__e _x_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%22x%22.txt`,
    ])
    const part = await get(id, ann, { Range: 'bytes=5-12' })
    expect([part.status, await part.text()]).toEqual([206, text.slice(5, 13)])
    expect(await status(get(id, ann, { 'If-None-Match': whole.headers.get('etag')! }))).toBe(304)
    expect(await platform.eventTypesOf(id)).toEqual(['file.created', 'file.uploaded'])
    expect(await namesOf(relatedToId as string)).toEqual(['Größe "x".txt'])
    const query =
      '{ account(id: $id) { files(first: 5) { nodes { name size relatedTo { ... on Account { name } } } } } }'
    const { body } = await ann.graphql(`query ($id: ID!) ${query}`, { id: relatedToId })
    expect(body.data.account.files.nodes).toEqual([
      { name: 'Größe "x".txt', size: 310_000, relatedTo: { name: 'Northwind Traders' } },
    ])
  })

  it.each(['<svg onload="alert(1)">', '<script>alert(1)</script>'])(
    'with the active content %j is only an attachment in a sandbox, whatever its name says',
    async (content) => {
      const id = await uploaded(content, { name: 'photo.png' })
      const { headers } = await fetch(await linkTo(id))
      expect(headers.get('content-type')).toBe(content.startsWith('<svg') ? 'image/svg+xml' : 'text/html')
      expect(headers.get('content-disposition')).toMatch(/^attachment;/)
      expect([headers.get('x-content-type-options'), headers.get('content-security-policy')]).toEqual([
        'nosniff',
        "sandbox; default-src 'none'",
      ])
    },
  )

  it.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['C:\\plan.txt', 'C:_plan.txt'],
    ['..', '_'],
    ['plan\r\nSet-Cookie: a=b', 'plan__Set-Cookie: a=b'],
    ['plan\u202etxt.exe', 'plan_txt.exe'],
  ])('with the name %j is downloaded as %j', async (name, plain) => {
    const { headers } = await get(await uploaded('x', { name }))
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(plain)}`,
    )
    expect(headers.get('set-cookie')).toBeNull()
  })
})

describe('who sees a file', () => {
  it('is its owner alone while it is attached to nothing, and then who sees the record', async () => {
    const id = await uploaded('secret')
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    for (const other of [ben, admin, foreigner]) {
      expect(await status(get(id, other))).toBe(404)
      expect(await status(other.rest.file!({ id }))).toBe(404)
      expect(await status(other.rest.fileDownloadLink!({ id }))).toBe(404)
      expect((await other.rest.fileList!()).body.data).toEqual([])
    }
    const { id: relatedToId } = await account(ben)
    const refused = await ann.rest.fileUpdate!({ id, body: { relatedToType: 'ACCOUNT', relatedToId } })
    expect(refused.body.errors).toEqual([expect.objectContaining({ path: 'relatedToId', code: 'UNKNOWN_REFERENCE' })])
    const own = await account(ann)
    await ann.rest.fileUpdate!({ id, body: { relatedToType: 'ACCOUNT', relatedToId: own.id } })
    expect(await Promise.all([ann, admin, ben, foreigner].map((by) => status(get(id, by))))).toEqual([
      200, 200, 404, 404,
    ])
  })

  it('is whoever sees the record, also without being the owner of the file', async () => {
    const deal = await opportunity(ben)
    const call = await activity(ben, { relatedToType: 'OPPORTUNITY', relatedToId: deal.id })
    const manager = await platform.member({ organizationId, role: 'MANAGER', visibility: 'ALL' })
    const plan = await uploaded('plan', { relatedToType: 'OPPORTUNITY', relatedToId: deal.id }, manager)
    const minutes = await uploaded('minutes', { relatedToType: 'ACTIVITY', relatedToId: call.id }, manager)
    for (const id of [plan, minutes])
      expect([await status(get(id, ben)), await status(get(id, ann))]).toEqual([200, 404])
    expect((await ben.rest.fileStats!()).body).toMatchObject({ total: 2, totalSize: 11 })
    expect((await ann.rest.fileStats!()).body).toMatchObject({ total: 0, totalSize: 0 })
  })

  it('is whoever sees the credit note to which it is attached', async () => {
    const { status: created, body: note } = await ann.rest.creditNoteCreate!({ body: {} })
    expect(created).toBe(201)
    const id = await uploaded('photo', { relatedToType: 'CREDIT_NOTE', relatedToId: note.id as string })
    const manager = await platform.member({ organizationId, role: 'MANAGER', visibility: 'ALL' })
    expect(await Promise.all([ann, manager, ben, foreigner].map((by) => status(get(id, by))))).toEqual([
      200, 200, 404, 404,
    ])
    const query = '{ creditNote(id: $id) { files(first: 5) { nodes { relatedTo { ... on CreditNote { status } } } } } }'
    const { body } = await ann.graphql(`query ($id: ID!) ${query}`, { id: note.id })
    expect(body.data.creditNote.files.nodes).toEqual([{ relatedTo: { status: 'DRAFT' } }])
  })

  it('is nobody while its record is deleted, also with a link', async () => {
    const { id: relatedToId } = await account(ann)
    const id = await uploaded('plan', { relatedToType: 'ACCOUNT', relatedToId })
    const link = await linkTo(id)
    await ann.rest.accountDelete!({ id: relatedToId })
    expect([await status(get(id)), await status(fetch(link)), await status(ann.rest.file!({ id }))]).toEqual([
      404, 404, 404,
    ])
    await ann.rest.accountRestore!({ id: relatedToId })
    expect([await status(get(id)), await status(fetch(link))]).toEqual([200, 200])
  })

  it('does not change it, with the role READ_ONLY', async () => {
    const { id: relatedToId } = await account(ann)
    const id = await add({ relatedToType: 'ACCOUNT', relatedToId })
    const reader = await platform.member({ organizationId, role: 'READ_ONLY', visibility: 'ALL' })
    expect(await status(put(id, 'x', reader))).toBe(403)
    expect([(await ann.rest.file!({ id })).body.status, await stored()]).toEqual(['UPLOADING', []])
  })
})

describe('a download link', () => {
  it('needs no credential, ends after five minutes, and opens no other file', async () => {
    const [id, other] = [await uploaded('mine'), await uploaded('other')]
    const { body } = await ann.rest.fileDownloadLink!({ id })
    const link = here(body.downloadUrl)
    const now = platform.services.clock.now()
    expect(body.expiresAt).toBe(new Date(now.getTime() + 300_000).toISOString())
    expect(await (await fetch(link)).text()).toBe('mine')
    const signed = Buffer.from(link.split('/').at(-1)!, 'base64url')
    const of = (named: Buffer): string => link.replace(/[^/]+$/, named.toString('base64url'))
    const forged = Buffer.from(signed)
    forged.set(Buffer.from(other.replaceAll('-', ''), 'hex'), 16)
    const longer = Buffer.from(signed)
    longer.writeUInt32BE(longer.readUInt32BE(32) + 60, 32)
    const foreign = { organizationId: foreigner.organizationId, id, expiresAt: new Date(now.getTime() + 60_000) }
    const tokens = [of(forged), of(longer), `${link}a`, link.replace(/[^/]+$/, 'x')]
    tokens.push(link.replace(/[^/]+$/, downloadToken(platform.services.keys, foreign)))
    for (const token of tokens) expect(await status(fetch(token))).toBe(404)
    expect(await status(fetch(link, { method: 'POST' }))).toBe(405)
    platform.advanceClock(300_000)
    expect(await status(fetch(link))).toBe(404)
  })
})

describe('an upload', () => {
  it('that is too large, of another type or of another organization is refused and leaves nothing', async () => {
    const id = await add()
    const tooLarge = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(fileBytesMax)),
      pull(controller) {
        controller.enqueue(new Uint8Array(1))
        controller.close()
      },
    })
    expect(await status(put(id, tooLarge))).toBe(413)
    expect(await status(put(id, 'x', ann, { 'Content-Type': 'text/plain' }))).toBe(415)
    expect(await status(put(id, 'x', foreigner))).toBe(404)
    expect(await status(put(newId(), 'x'))).toBe(404)
    expect([await stored(), await onDisk()]).toEqual([[], []])
    expect((await ann.rest.file!({ id })).body).toMatchObject({ status: 'UPLOADING', version: 1 })
    expect(await status(put(id, 'at last'))).toBe(200)
  })

  it('that ends in the middle leaves no bytes, and can be repeated', async () => {
    const id = await add()
    const abort = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('half')),
      pull: () => abort.abort(),
    })
    const sent = fetch(contentUrl(id), {
      method: 'PUT',
      headers: { ...ann.headers, 'Content-Type': 'application/octet-stream' },
      signal: abort.signal,
      ...({ body, duplex: 'half' } as object),
    })
    await expect(sent).rejects.toThrow('aborted')
    await expect.poll(async () => [await stored(), await onDisk()]).toEqual([[], []])
    expect(await status(put(id, 'whole'))).toBe(200)
    expect(await (await get(id)).text()).toBe('whole')
  })

  it('of several at once stores the bytes of one', async () => {
    const id = await add()
    const all = await Promise.all(['aaa', 'bbb', 'ccc'].map((content) => status(put(id, content))))
    expect(all.toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect([(await stored()).length, (await onDisk()).length]).toEqual([1, 1])
    expect(await platform.eventTypesOf(id)).toEqual(['file.created', 'file.uploaded'])
  })
})

it('no link of a suspended organization leads to a file', async () => {
  const link = await linkTo(await uploaded('kept'))
  await suspendOrganization(platform.services, organizationId)
  expect(await status(fetch(link))).toBe(404)
  await resumeOrganization(platform.services, organizationId)
  expect(await (await fetch(link)).text()).toBe('kept')
})

describe('a deleted file', () => {
  it('can be restored for seven days; then its bytes are deleted, and it cannot', async () => {
    const [id, kept] = [await uploaded('gone'), await uploaded('kept')]
    const link = await linkTo(id)
    expect(await status(ann.rest.fileDelete!({ id }))).toBe(204)
    expect([await status(get(id)), await status(fetch(link))]).toEqual([404, 404])
    platform.advanceClock(7 * 86_400_000 - 1_000)
    await deleteFileContents.run(platform.services)
    expect(await status(ann.rest.fileRestore!({ id }))).toBe(200)
    expect(await (await get(id)).text()).toBe('gone')
    await ann.rest.fileDelete!({ id })
    platform.advanceClock(7 * 86_400_000 + 1_000)
    await deleteFileContents.run(platform.services)
    const refused = await ann.rest.fileRestore!({ id })
    expect([refused.status, refused.body.code]).toEqual([409, 'INVALID_STATE'])
    platform.advanceClock(86_400_000 + 1_000)
    await sweepFiles.run(platform.services)
    expect([(await onDisk()).length, await (await get(kept)).text()]).toEqual([1, 'kept'])
  })

  it('is one whose bytes have not arrived within a day', async () => {
    const [waiting, ready] = [await add(), await uploaded('x')]
    platform.advanceClock(86_400_000 - 1_000)
    await deleteAbandonedFiles.run(platform.services)
    expect(await status(ann.rest.file!({ id: waiting }))).toBe(200)
    platform.advanceClock(2_000)
    await deleteAbandonedFiles.run(platform.services)
    expect([await status(ann.rest.file!({ id: waiting })), await status(ann.rest.file!({ id: ready }))]).toEqual([
      404, 200,
    ])
    expect(await platform.eventTypesOf(waiting)).toEqual(['file.created', 'file.deleted'])
  })
})
