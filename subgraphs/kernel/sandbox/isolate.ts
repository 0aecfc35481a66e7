import { randomUUID } from 'node:crypto'
import type ivm from 'isolated-vm'
import { inside, type HostFunctions } from './inside.ts'
import { insideText } from './inside-text.ts'
import { insideWeb } from './inside-web.ts'
import { limits } from './limits.ts'

export type Ivm = typeof ivm

/** What the child does when the program calls. */
export interface Receiver extends Pick<HostFunctions, 'log' | 'dropped' | 'call' | 'wait' | 'ended'> {}

/** An isolate with everything that a program needs, before the program is known. */
export interface PreparedIsolate {
  readonly isolate: ivm.Isolate
  readonly context: ivm.Context
  readonly begin: ivm.Reference
  readonly deliver: ivm.Reference
  readonly memoryMb: number
}

const parts = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const
const urlMax = 65_536

/** JSON of the parts of an address, after a change of one of them; empty if it is not valid. */
function urlOf(href: string, base: string, part: string, value: string): string {
  if (href.length + base.length + value.length > urlMax) return ''
  const url = URL.parse(href, base || undefined)
  if (!url) return ''
  const changed = parts.find((name) => name === part)
  if (changed) url[changed] = value
  return JSON.stringify({ ...Object.fromEntries(parts.map((name) => [name, url[name]])), origin: url.origin })
}

/** Only callbacks of plain texts and numbers enter the isolate: a reference to an object of this process would be a way out. */
export function prepareIsolate(ivm: Ivm, memoryMb: number, receiver: Receiver, onFatal: () => void): PreparedIsolate {
  const isolate = new ivm.Isolate({ memoryLimit: memoryMb, onCatastrophicError: onFatal })
  const context = isolate.createContextSync()
  const host = {
    log: new ivm.Callback(receiver.log, { ignored: true }),
    dropped: new ivm.Callback(receiver.dropped, { ignored: true }),
    call: new ivm.Callback(receiver.call, { ignored: true }),
    wait: new ivm.Callback(receiver.wait, { ignored: true }),
    ended: new ivm.Callback(receiver.ended, { ignored: true }),
    url: new ivm.Callback(urlOf, { sync: true }),
    uuid: new ivm.Callback(() => randomUUID(), { sync: true }),
  }
  const names = Object.keys(host)
  const given = names.map((name, index) => `${name}: $${index}`).join(', ')
  const both = context.evalClosureSync(
    `const own = (${inside.toString()})({ ${given} }, ${JSON.stringify(limits)}, ${insideWeb.toString()}, ${insideText.toString()}); return { __proto__: null, begin: own.begin, deliver: own.deliver }`,
    Object.values(host),
    { filename: 'sandbox:inside', result: { reference: true } },
  ) as ivm.Reference<{ begin: unknown; deliver: unknown }>
  const begin = both.getSync('begin', { reference: true }) as ivm.Reference
  const deliver = both.getSync('deliver', { reference: true }) as ivm.Reference
  both.release()
  return { isolate, context, begin, deliver, memoryMb }
}
