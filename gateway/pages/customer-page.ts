import type { ServerResponse } from 'node:http'
import { textOn, usualColor } from '../../subgraphs/kernel/values/color.ts'
import { escaped } from './escaped.ts'
import { setPageHeaders } from './plain-page.ts'

// The pages on which customers of an organization read a quote or an invoice: without scripts; the only file is the logo.

/** The organization as its customers see it. */
export interface ShownSeller {
  readonly name: string
  /** Lines of the postal address. */
  readonly address: readonly string[]
  readonly taxId: string | null
  /** `#1f4e79`; null for the usual colour. */
  readonly color: string | null
  /** Path of the logo on this server. */
  readonly logoPath: string | null
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --back: #f3f4f6; --card: #fff; --text: #1f2328; --quiet: #59636e; --line: #d0d7de; --late: #b3261e; --done: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181b; --card: #212429; --text: #e6e8ea; --quiet: #a7b0ba; --line: #3d444d; --late: #ff8a80; --done: #6fdd8b; }
  header img { background: #fff; padding: .375rem; border-radius: .25rem; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: anywhere; }
main { max-width: 54rem; margin: 2rem auto; background: var(--card); border-top: .5rem solid var(--brand); border-radius: .5rem; overflow: hidden; }
header, section, footer { padding: 1.25rem 2rem; }
header img { max-width: 15rem; max-height: 4.5rem; display: block; }
header strong { font-size: 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 2rem 0 .25rem; }
.key { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; align-items: end; margin: 1rem 0; }
.key p { margin: 0; }
.key span { display: block; color: var(--quiet); font-size: .875rem; }
.key b { font-size: 1.375rem; }
.late { color: var(--late); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; margin: 1rem 0; }
.actions form { margin: 0; }
button, a.button { font: inherit; font-weight: 600; padding: .75rem 1.75rem; border: 0; border-radius: .375rem; background: var(--brand); color: var(--on-brand); cursor: pointer; }
a.button { text-decoration: none; }
button.second { background: none; color: inherit; border: 1px solid var(--line); font-weight: normal; }
a { color: inherit; }
label { display: block; margin: .75rem 0; }
input[type=text], textarea { display: block; width: 100%; font: inherit; padding: .5rem; margin-top: .25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 1rem 0; }
dt, small, .quiet { color: var(--quiet); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin: 1.5rem 0; }
th, td { padding: .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th.amount, td.amount { text-align: right; white-space: nowrap; }
tfoot th { font-weight: normal; text-align: right; }
tfoot tr:last-child > * { font-weight: bold; }
.terms { white-space: pre-wrap; }
[role=alert], .warning { border-left: .25rem solid var(--late); padding-left: .75rem; color: var(--late); }
.done { border-left: .25rem solid var(--done); padding-left: .75rem; }
.note { border-left: .25rem solid var(--line); padding-left: .75rem; }
footer { border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem; }
footer p { margin: 0; }
@media (max-width: 40rem) {
  main { margin: 0; border-radius: 0; }
  header, section, footer { padding: 1rem; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody, tfoot, tr, th, td { display: block; border: 0; padding: 0; }
  tr { padding: .75rem 0; border-bottom: 1px solid var(--line); }
  td.amount { display: flex; justify-content: space-between; gap: 1rem; white-space: normal; }
  td.amount:empty { display: none; }
  td[data-label]::before { content: attr(data-label); color: var(--quiet); }
  tfoot tr { display: flex; justify-content: space-between; gap: 1rem; padding: .375rem 0; }
  tfoot th { text-align: left; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
  .actions button, .actions a.button { width: 100%; text-align: center; }
  .actions form { flex: 1 0 100%; }
}
@media print {
  :root { --back: #fff; --card: #fff; --text: #000; --quiet: #444; --line: #bbb; color-scheme: light; }
  main { margin: 0; max-width: none; border-radius: 0; }
  .actions, .answers { display: none; }
  tr, footer { break-inside: avoid; }
}
`

export interface CustomerPage {
  readonly html: string
  /** The style sheets of the page, which its policy allows by their hashes. */
  readonly styles: readonly string[]
}

export interface CustomerPageParts {
  readonly title: string
  /** Null if the page must not say whose document it would show. */
  readonly seller: ShownSeller | null
  /** HTML, already escaped. */
  readonly content: string
}

function colorStyle(seller: ShownSeller | null): string {
  const color = seller?.color ?? usualColor
  return `:root { --brand: ${color}; --on-brand: ${textOn(color)}; }`
}

const headOf = ({ name, logoPath }: ShownSeller): string =>
  logoPath === null
    ? `<header><strong>${escaped(name)}</strong></header>`
    : `<header><img src="${escaped(logoPath)}" alt="${escaped(name)}"></header>`

function footOf({ name, address, taxId }: ShownSeller): string {
  const lines = [name, ...address, taxId && `Tax id ${taxId}`].filter((line) => line !== null && line !== '')
  return `<footer>${lines.map((line) => `<p>${escaped(line!)}</p>`).join('')}</footer>`
}

/** A page with the logo of the seller above its content, and the address below. */
export function customerPage({ title, seller, content }: CustomerPageParts): CustomerPage {
  const styles = [style, colorStyle(seller)]
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}${seller ? ` · ${escaped(seller.name)}` : ''}</title>${seller?.logoPath ? `\n<link rel="icon" href="${escaped(seller.logoPath)}">` : ''}
${styles.map((text) => `<style>${text}</style>`).join('\n')}
</head>
<body><main>
${seller ? headOf(seller) : ''}
<section>
<h1>${escaped(title)}</h1>
${content}
</section>
${seller ? footOf(seller) : ''}
</main></body>
</html>
`
  return { html, styles }
}

export function sendCustomerPage(res: ServerResponse, status: number, { html, styles }: CustomerPage): void {
  setPageHeaders(res, { styles, imagesFromHere: true })
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.end(html)
}

/** An amount or a day that the reader looks for first; without a value it is not shown. */
export type KeyFact = readonly [label: string, value: string | null, isLate?: boolean]

export const keyFacts = (facts: readonly KeyFact[]): string =>
  `<div class="key">${facts
    .map(([label, value, isLate = false]) =>
      value === null ? '' : `<p><span>${label}</span><b${isLate ? ' class="late"' : ''}>${escaped(value)}</b></p>`,
    )
    .join('')}</div>`

/** Labels and values; without a value a row is not shown. */
export const factList = (facts: readonly (readonly [label: string, value: string | null])[]): string =>
  `<dl>${facts.map(([label, value]) => (value ? `<dt>${label}</dt><dd>${escaped(value)}</dd>` : '')).join('')}</dl>`

export const termsSection = (terms: string | null): string =>
  terms ? `<h2>Terms</h2><p class="terms">${escaped(terms)}</p>` : ''
