import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { isExactNumber, plainDigits, textOfNumber } from '../../json/exact-number.ts'
import { isPublicMailDomain } from '../../values/company-domain.ts'
import { parseEmail } from '../../values/email-address.ts'
import { indexedCharacters } from '../value-index/value-column.ts'
import type { DuplicateMethod } from './duplicate-method.ts'

// Two values are the same to a method when their keys are equal. A value without a key is the same as no other.

/** The methods that compare keys. */
export type KeyMethod = Exclude<DuplicateMethod, 'FUZZY'>

/** As values of unique fields are compared: compatible characters, white space and case make no difference. */
const plainText = (text: string): string => text.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()

function emailKey(text: string): string | null {
  const address = parseEmail(text.trim())
  if (address === null) return null
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at)]
  const tag = local.indexOf('+')
  return (tag > 0 ? local.slice(0, tag) : local) + domain
}

/** The domain of an email address, or the host of a web address, without `www.`. */
function domainKey(text: string): string | null {
  const given = plainText(text)
  const address = given.includes('@') && !given.includes('/') ? parseEmail(given) : null
  const host = address
    ? address.slice(address.lastIndexOf('@') + 1)
    : given
        .replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//, '')
        .replace(/[/?#].*$/s, '')
        .replace(/^[^@]*@/, '')
        .replace(/:\d*$/, '')
  const domain = domainToASCII(host.replace(/\.$/, '').replace(/^www\.(?=.*\.)/, ''))
  return domain.includes('.') && !isPublicMailDomain(domain) ? domain : null
}

/** Legal forms of companies, in lower case and without punctuation. */
const legalForms: ReadonlySet<string> = new Set(
  [
    'ab ag aktiengesellschaft aktiebolag aps as asa bhd bv bvba co company corp corporation cv doo eg eood ev eurl gbr gesmbh',
    'gie gmbh inc incorporated jsc kb kft kg kgaa kk kabushiki kaisha lda limited llc llp lp ltd ltda mbh nv oao oo ood ooo',
    'ou oy oyj pjsc plc pte pty pvt sa sab sarl sas sasu sc sca scs se sia sicav sl slu snc spa spzoo srl sro zao zoo',
    '株式会社 有限会社 合同会社 有限公司 주식회사',
  ].flatMap((forms) => forms.split(' ')),
)
/** Written without a space before or behind the name. */
const attached = /株式会社|有限会社|合同会社|股份有限公司|有限责任公司|有限公司|주식회사/gu

/** The words of the name of a company; single letters that points or strokes join, such as `S.A.` and `A/S`, are one word. */
function wordsOfCompany(text: string): string[] {
  return plainText(text)
    .replaceAll(attached, ' ')
    .replaceAll(/(?<![\p{L}\p{N}])sp\.? ?z ?\.?o\.? ?o\.?(?![\p{L}\p{N}])/gu, 'spzoo')
    .replaceAll(/(?<![\p{L}\p{N}])\p{L}(?:[./]\s?\p{L}(?![\p{L}\p{N}]))+/gu, (letters) =>
      letters.replaceAll(/[./\s]/gu, ''),
    )
    .replaceAll(/['\u2019]/gu, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** A name that consists of legal forms only keeps them. */
function companyKey(text: string): string | null {
  const words = wordsOfCompany(text)
  let end = words.length
  while (end > 1 && legalForms.has(words[end - 1]!)) end--
  return words.slice(0, end).join(' ') || null
}

/** The words of the name in alphabetical order, so that `Halvorsen, Ingrid` is `Ingrid Halvorsen`. */
function personKey(text: string): string | null {
  const words = plainText(text)
    .split(/[^\p{L}\p{M}\p{N}'\u2019-]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.toSorted().join(' ') || null
}

const phoneDigits = 9

/** The last digits: numbers are written with and without the prefixes of countries and trunks. */
const phoneKey = (text: string): string | null =>
  text
    .normalize('NFKC')
    .replaceAll(/[^0-9]/g, '')
    .slice(-phoneDigits) || null

function exactKey(value: unknown): string | null {
  if (typeof value === 'string') return plainText(value) || null
  if (typeof value === 'boolean') return null
  if (!isExactNumber(value)) return null
  const digits = plainDigits(textOfNumber(value))
  return digits?.includes('.') ? digits.replace(/\.?0+$/, '') : digits
}

const keysOfText: Readonly<Record<Exclude<KeyMethod, 'EXACT'>, (text: string) => string | null>> = {
  EMAIL: emailKey,
  DOMAIN: domainKey,
  COMPANY: companyKey,
  PERSON: personKey,
  PHONE: phoneKey,
}

/** Keys that are too long for an index are hashed. */
const indexable = (key: string): string =>
  key.length <= indexedCharacters ? key : `sha256 ${createHash('sha256').update(key).digest('hex')}`

/** The key of a value by a method; null for a value that is the same as no other. */
export function duplicateKey(method: KeyMethod, value: unknown): string | null {
  const key = method === 'EXACT' ? exactKey(value) : typeof value === 'string' ? keysOfText[method](value) : null
  return key === null ? null : indexable(key)
}
