"""Rubrics of different shapes, each with the criteria it has to become."""

from __future__ import annotations

RUBRICS: dict[str, tuple[str, list[tuple[float | None, str]]]] = {
    "table": (
        """\
| # | Criterion | Description | Weight |
|---|-----------|-------------|-------:|
| 1 | Accuracy | Every figure matches the invoice. | 40% |
| 2 | Tone | The reply must be calm and must not blame the customer. | 30% |
| 3 | Length | No more than 120 words | 30% |
""",
        [
            (40.0, "Does every figure match the invoice?"),
            (15.0, "Is the reply calm?"),
            (15.0, "Does the reply avoid blaming the customer?"),
            (30.0, "Is the output no more than 120 words?"),
        ],
    ),
    "table without outer pipes": (
        """\
Criterion | Points | Pass example | Fail example
--- | --- | --- | ---
Names the refund date | 2 | Refunded on 3 May. | Refunded soon.
Offers a next step | 1 | Reply to this mail. | Bye.
""",
        [
            (2.0, "Does the output name the refund date?"),
            (1.0, "Does the output offer a next step?"),
        ],
    ),
    "table of levels": (
        """\
| Dimension | 1 | 3 | 5 |
|---|---|---|---|
| Clarity | Confusing | Mostly clear | Crystal clear |
| Depth | Shallow | Some depth | Deep |
""",
        [],
    ),
    "checklist": (
        """\
Release note checklist

[ ] Mentions the version number
[x] Lists every breaking change
[] Never promises a date for the next release
- [x] Links to the migration guide
☐ Under 300 words
""",
        [
            (None, "Does the output mention the version number?"),
            (None, "Does the output list every breaking change?"),
            (None, "Does the output avoid promising a date for the next release?"),
            (None, "Does the output link to the migration guide?"),
            (None, "Is the output under 300 words?"),
        ],
    ),
    "grader prompt": (
        """\
You are grading a customer support reply. Use the following rubric. Score each item from 1 to 5.
Do not consider spelling. Do not penalise short replies.

The reply must apologise for the delay. Under no circumstances may the reply promise a refund. Personal insults are not acceptable.
Never promise a delivery date. The agent may offer a voucher.

Return your verdict as JSON. Explain your reasoning.
""",
        [
            (None, "Does the reply apologise for the delay?"),
            (None, "Does the reply avoid promising a refund?"),
            (None, "Does the output avoid personal insults?"),
            (None, "Does the output avoid promising a delivery date?"),
        ],
    ),
    "points": (
        """\
<rubric>
[+5] States that the patient should see a doctor within 24 hours
[+3] Mentions the warning signs
[-4] Recommends antibiotics without a diagnosis
[-2] Blames the patient
</rubric>
""",
        [
            (5.0, "Does the output state that the patient should see a doctor within 24 hours?"),
            (3.0, "Does the output mention the warning signs?"),
            (4.0, "Does the output avoid recommending antibiotics without a diagnosis?"),
            (2.0, "Does the output avoid blaming the patient?"),
        ],
    ),
    "marks above points": (
        """\
Structure [10 marks]
- Opens with a summary
- Ends with a clear call to action

Content (20 marks):
  a. Cites at least two sources
  b. Explains each term on first use (5 marks)
  (iii) Must not invent quotations
""",
        [
            (5.0, "Does the output open with a summary?"),
            (5.0, "Does the output end with a clear call to action?"),
            (7.5, "Does the output cite at least two sources?"),
            (5.0, "Does the output explain each term on first use?"),
            (7.5, "Does the output avoid inventing quotations?"),
        ],
    ),
    "numbered paragraphs": (
        """\
1) The summary must name the main finding. It should be in the first sentence.

   Readers skim, so this matters.

2) The summary must not exceed 150 words.

3) Numbers have to match the source article; rounding is not acceptable.
""",
        [
            (None, "Does the summary name the main finding?"),
            (None, "Is it in the first sentence?"),
            (None, "Does the summary keep to at most 150 words?"),
            (None, "Do numbers match the source article?"),
            (None, "Does the output avoid rounding?"),
        ],
    ),
    "nested": (
        """\
* Tone
    + Polite
    + No exclamation marks
    + Never sarcastic
* Facts
    – Every claim cites a source
    – Prices are given in euros
* The email must:
    • greet the customer by name
    • thank them and offer help
* The email must not:
    • blame the courier
    • be longer than 200 words
    • contain links
""",
        [
            (None, "Is the output polite?"),
            (None, "Does the output avoid exclamation marks?"),
            (None, "Does the output avoid being sarcastic?"),
            (None, "Does every claim cite a source?"),
            (None, "Are prices given in euros?"),
            (None, "Does the email greet the customer by name?"),
            (None, "Does the email thank them and offer help?"),
            (None, "Does the email avoid blaming the courier?"),
            (None, "Does the email avoid being longer than 200 words?"),
            (None, "Does the email avoid containing links?"),
        ],
    ),
    "windows": (
        "Quality bar\r\n\r\n1. Names the product\r\n2. Does not use jargon\r\n   or internal code names\r\n\r\nNotes\r\n- Keep it under 80 words\r\n",
        [
            (None, "Does the output name the product?"),
            (None, "Does the output avoid using jargon or internal code names?"),
            (None, "Is the output under 80 words?"),
        ],
    ),
    "full width": (
        """\
（1）The reply must be polite．
（2）Mention the order number（20％）
３．回复必须礼貌。
・Thank the customer！
""",
        [
            (None, "Is the reply polite?"),
            (20.0, "Does the output mention the order number?"),
            (None, 'Does the output meet this: "回复必须礼貌。"?'),
            (None, "Does the output thank the customer?"),
        ],
    ),
    "scale with levels": (
        """\
Clarity (1-5)
5 - Excellent: every step is explained
4 - Good: most steps are explained
3 - Fair
2: hard to follow
1: unreadable

Accuracy
Score 3: all facts correct
Score 2: one error
Score 1: many errors

Must cite the policy.
""",
        [
            (None, "Does the output cite the policy?"),
        ],
    ),
    "word levels": (
        """\
## Helpfulness
- Excellent: solves the problem at once
- Satisfactory: solves it after a question
- Poor: does not solve it

## Safety
Do not give a dosage.
""",
        [
            (None, "Does the output avoid giving a dosage?"),
        ],
    ),
    "fail if": (
        """\
Fail the answer if it invents a source. Deduct 2 points if the tone is rude. Award 3 points if the answer names the law.

Red flags:
- Guarantees a result
- Legal advice
- the client is blamed
- No disclaimer

## Automatic fail
* Reveals a password
* Any mention of a competitor
""",
        [
            (None, "Does the output avoid inventing a source?"),
            (2.0, "Is it true that the tone is not rude?"),
            (3.0, "Does the answer name the law?"),
            (None, "Does the output avoid guaranteeing a result?"),
            (None, "Does the output avoid legal advice?"),
            (None, "Is it true that the client is not blamed?"),
            (None, 'Is this untrue of the output: "No disclaimer"?'),
            (None, "Does the output avoid revealing a password?"),
            (None, "Does the output avoid any mention of a competitor?"),
        ],
    ),
    "labels": (
        """\
**Accuracy** – All figures match the source.
**Tone (20%)**: The reply should be warm but not familiar.
Brevity: at most 3 paragraphs
Next step: A clear next step
Format: JSON, no comments
Sources. Every claim cites a paper.
""",
        [
            (None, "Do all figures match the source?"),
            (20.0, "Is the reply warm but not familiar?"),
            (None, "Is the output at most 3 paragraphs?"),
            (None, "Does the output include a clear next step?"),
            (None, 'Does the output meet this: "Format: JSON, no comments"?'),
            (None, "Does every claim cite a paper?"),
        ],
    ),
    "lines": (
        """\
A good product description
Names the material
Gives the size in centimetres
No superlatives
Friendly tone
Call to action
""",
        [
            (None, "Does the product description name the material?"),
            (None, "Does the product description give the size in centimetres?"),
            (None, "Does the output avoid superlatives?"),
            (None, "Does the output have a friendly tone?"),
            (None, "Does the output have a call to action?"),
        ],
    ),
    "code review": (
        """\
- [ ] Handles empty input and returns an empty list
- [ ] All public functions have docstrings
- [ ] Tests pass
- [ ] Is formatted with black
- [ ] Doesn't swallow exceptions
- [ ] Error messages should say what went wrong and what to do
- [ ] No TODO comments, no commented-out code
- [ ] Uses `except Exception` nowhere
- [ ] If the input is a file, it must be closed
- [ ] Is it idiomatic?
- [ ] How does it scale?
""",
        [
            (None, "Does the output handle empty input and return an empty list?"),
            (None, "Do all public functions have docstrings?"),
            (None, "Do tests pass?"),
            (None, "Is the output formatted with black?"),
            (None, "Does the output avoid swallowing exceptions?"),
            (None, "Do error messages say what went wrong and what to do?"),
            (None, "Does the output avoid TODO comments or commented-out code?"),
            (None, "Does the output use `except Exception` nowhere?"),
            (None, "If the input is a file, is it closed?"),
            (None, "Is it idiomatic?"),
        ],
    ),
    "prose": (
        """\
We look at replies to complaints. A good reply names the order number and thanks the customer. It should never be sarcastic, and it must not mention internal systems. You cannot promise compensation. Write in plain English. Keep sentences short. Agents never argue with customers. There must be no links. No reply may contain personal data. We expect the agent to sign with their first name. It is important that the reply names a deadline. Replies need not repeat the complaint.
""",
        [
            (None, "Does the reply name the order number and thank the customer?"),
            (None, "Does it avoid being sarcastic?"),
            (None, "Does it avoid mentioning internal systems?"),
            (None, "Does the output avoid promising compensation?"),
            (None, "Is the output written in plain English?"),
            (None, "Does the output keep sentences short?"),
            (None, "Do agents avoid arguing with customers?"),
            (None, "Does the output avoid links?"),
            (None, "Does the output avoid containing personal data?"),
            (None, "Does the agent sign with their first name?"),
            (None, "Does the reply name a deadline?"),
        ],
    ),
    "mixed modals": (
        """\
- Each answer has to be supported by a quotation
- The list of ingredients must be complete
- Neither emojis nor slang may be used
- Nothing may be invented
- Only approved sources may be cited
- Prices should not be rounded
- The headline must be short and name the city
- Citations are required
- It is forbidden to mention rivals
- Avoid passive voice and jargon
- Do not blame the customer or promise a refund
- Never rude
- Factual accuracy
- Write a haiku
- Limit the reply to 60 words
- Respond in French
- 60 words max
- Has no spelling mistakes
- The answer is correct, and the steps are shown
- Escalates urgent cases to a human
- Be polite and don't argue
- Reads like it was written by a person
- Answers that guess are not acceptable
- must cite its source
- Say "Sorry. We will refund you." at the end
- Must always be in the second person
- Check that the total equals the sum of the lines
- Would a lawyer sign this?
- Sentence length: 20 words on average
""",
        [
            (None, "Is each answer supported by a quotation?"),
            (None, "Is the list of ingredients complete?"),
            (None, 'Does the output meet this: "Neither emojis nor slang may be used"?'),
            (None, "Is it true that nothing is invented?"),
            (None, "Are only approved sources cited?"),
            (None, "Is it true that prices are not rounded?"),
            (None, "Is the headline short?"),
            (None, "Does the headline name the city?"),
            (None, "Does the output include citations?"),
            (None, "Does the output avoid mentioning rivals?"),
            (None, "Does the output avoid passive voice and jargon?"),
            (None, "Does the output avoid blaming the customer or promising a refund?"),
            (None, "Does the output avoid being rude?"),
            (None, "Does the output meet this: Factual accuracy?"),
            (None, "Is the output a haiku?"),
            (None, "Is the reply limited to 60 words?"),
            (None, "Does the output respond in French?"),
            (None, "Is the output at most 60 words?"),
            (None, "Does the output avoid spelling mistakes?"),
            (None, "Is it true that the answer is correct, and the steps are shown?"),
            (None, "Does the output escalate urgent cases to a human?"),
            (None, "Is the output polite?"),
            (None, "Does the output avoid arguing?"),
            (None, "Does the output read like it was written by a person?"),
            (None, "Does the output avoid guessing?"),
            (None, "Does the output cite its source?"),
            (None, 'Does the output say "Sorry. We will refund you." at the end?'),
            (None, "Is the output always in the second person?"),
            (None, "Does the total equal the sum of the lines?"),
            (None, "Would a lawyer sign this?"),
            (None, 'Does the output meet this: "Sentence length: 20 words on average"?'),
        ],
    ),
    "code review in a table": (
        """\
# SQL review

Please grade the query below against these rules. Think step by step.

| Check | Marks | Owner |
|:------|:-----:|-------|
| The query returns one row per customer | 4 | data |
| Joins use explicit JOIN syntax | 2 | data |
| No SELECT * | 1 | |
| Runs in under two seconds on the sample | 3 | ops |

Additional rules
- Never use a cartesian join.
- Column names should be in snake_case, and every table must have an alias.
- CTEs are preferred over nested subqueries.
- The query may use window functions.
- It should not contain hard-coded dates unless the task gives them.
""",
        [
            (4.0, "Does the query return one row per customer?"),
            (2.0, "Do joins use explicit JOIN syntax?"),
            (1.0, "Does the output avoid SELECT *?"),
            (3.0, "Does the output run in under two seconds on the sample?"),
            (None, "Does the output avoid using a cartesian join?"),
            (None, "Are column names in snake_case?"),
            (None, "Does every table have an alias?"),
            (None, "Are CTEs preferred over nested subqueries?"),
            (None, "Does it avoid containing hard-coded dates unless the task gives them?"),
        ],
    ),
    "a medical rubric with points per section": (
        """\
Discharge summary criteria (v2)

A. Diagnosis – 10 points
   1. States the primary diagnosis
   2. Lists comorbidities relevant to the stay
   3. Does not speculate about causes that were not examined

B. Medication – 15 points
   1. Each drug must have a dose, a route and a frequency.
   2. Changes from the admission list must be explained
   3. Stopped drugs are named, with the reason

C. Follow-up – 5 points
   1. Who the patient should call
   2. Date of the next appointment
   3. Plain language

Ignore formatting. A total score of 24 is a pass.
""",
        [
            (3.333333, "Does the output state the primary diagnosis?"),
            (3.333333, "Does the output meet this: Lists comorbidities relevant to the stay?"),
            (3.333333, "Does the output avoid speculating about causes that were not examined?"),
            (5.0, "Does each drug have a dose, a route and a frequency?"),
            (5.0, "Are changes from the admission list explained?"),
            (5.0, "Are stopped drugs named, with the reason?"),
            (1.666667, 'Does the output meet this: "Who the patient should call"?'),
            (1.666667, "Does the output meet this: Date of the next appointment?"),
            (1.666667, "Does the output meet this: Plain language?"),
        ],
    ),
    "a paragraph of wishes": (
        """\
The email has to open with the recipient's name. Don't mention competitors by name or compare prices. Please keep the tone friendly! If the recipient has already bought, do not offer the trial. Emails longer than 150 words are not acceptable. Each paragraph should contain at most three sentences. Avoid exclamation marks. The subject line must be under 50 characters. The call to action must appear once. Were we to write it ourselves, we'd mention the webinar. What about emojis? Emojis are fine.
""",
        [
            (None, "Does the email open with the recipient's name?"),
            (None, "Does the output avoid mentioning competitors by name or comparing prices?"),
            (None, "Does the output keep the tone friendly?"),
            (
                None,
                "If the recipient has already bought, does the output avoid offering the trial?",
            ),
            (None, "Does the output avoid being longer than 150 words?"),
            (None, "Does each paragraph contain at most three sentences?"),
            (None, "Does the output avoid exclamation marks?"),
            (None, "Is the subject line under 50 characters?"),
            (None, "Does the call to action appear once?"),
        ],
    ),
    "headings without marks": (
        """\
Tone
The translation must keep the formal address.
Idioms should be translated by meaning, not word by word.

Accuracy
Numbers and units may not be changed.
No sentence may be left out.
Proper names stay as they are.

Style
Short sentences
No passive voice
British spelling
""",
        [
            (None, "Does the translation keep the formal address?"),
            (None, "Are idioms translated by meaning, not word by word?"),
            (None, "Is it true that numbers and units are not changed?"),
            (None, "Is it true that no sentence is left out?"),
            (None, "Does the output meet this: Short sentences?"),
            (None, "Does the output avoid passive voice?"),
            (None, "Does the output meet this: British spelling?"),
        ],
    ),
    "statements of every form": (
        """\
- **Grounding**: every statement in the answer can be traced to a passage.
- **No speculation**: the answer says "I don't know" when the passages are silent.
- **Citations**: cites passages as [1], [2]
- **Scope** - answers only what was asked
- **Refusals**: The assistant must refuse to give legal advice, but must point to a lawyer.
- It's important to be concise.
- must not: repeat the question
- Should end with an offer to help
- Using bullet points is required.
- Ensure there are no spelling errors
- Make sure not to shout
- Whether the date is right
- The response acknowledges the user's frustration, apologizes, and proposes a fix.
- Provides code that compiles and handles errors
- Includes at least 3 examples
- Under 2 minutes to read
- Output is valid JSON
- Valid JSON
- JSON has the keys "id" and "name"
- Both options need to be compared
- The user's name should appear exactly once
- Response time
- Cannot exceed 280 characters
- The model shouldn't apologise more than once
- Responses that ignore the question will be rejected
- Mustn't use the word "synergy"
- Not longer than the original
- Correctly identifies the bug
- Clearly explains why the fix works
- Demonstrates empathy
- Empathetic and professional
- References to prior orders are correct
- Good grammar and spelling
- Is free of typos
- Students must show their working
- Everything in the summary must be in the source
- Nobody should be able to identify the patient
- Don't be rude, dismissive or condescending
- Does it mention the refund?
- The answer need not be complete
- Never mention price, discount or stock levels
- Do not lie
- Do not just restate the question
- Contact details given
""",
        [
            (None, "Can every statement in the answer be traced to a passage?"),
            (None, 'Does the answer say "I don\'t know" when the passages are silent?'),
            (None, "Does the output cite passages as [1], [2]?"),
            (None, "Does the output answer only what was asked?"),
            (None, "Does the assistant refuse to give legal advice?"),
            (None, "Does the assistant point to a lawyer?"),
            (None, "Is the output concise?"),
            (None, "Does the output avoid repeating the question?"),
            (None, "Does the output end with an offer to help?"),
            (None, 'Does the output meet this: "Using bullet points is required."?'),
            (None, "Are there no spelling errors?"),
            (None, "Does the output avoid shouting?"),
            (None, "Is the date right?"),
            (
                None,
                "Does the response acknowledge the user's frustration, apologize, and propose a fix?",
            ),
            (None, "Does the output meet this: Provides code that compiles and handles errors?"),
            (None, "Does the output include at least 3 examples?"),
            (None, "Is the output under 2 minutes to read?"),
            (None, "Is the output valid JSON?"),
            (None, "Is the output valid JSON?"),
            (None, 'Does the output meet this: “JSON has the keys "id" and "name"”?'),
            (None, "Are both options compared?"),
            (None, "Does the user's name appear exactly once?"),
            (None, "Does the output meet this: Response time?"),
            (None, "Does the output keep to at most 280 characters?"),
            (None, "Does the model avoid apologising more than once?"),
            (None, "Does the output avoid ignoring the question?"),
            (None, 'Does the output avoid using the word "synergy"?'),
            (None, "Does the output avoid being longer than the original?"),
            (None, "Does the output correctly identify the bug?"),
            (None, "Does the output clearly explain why the fix works?"),
            (None, "Does the output demonstrate empathy?"),
            (None, "Is the output empathetic and professional?"),
            (None, "Are references to prior orders correct?"),
            (None, "Does the output meet this: Good grammar and spelling?"),
            (None, "Is the output free of typos?"),
            (None, "Do students show their working?"),
            (None, "Is everything in the summary in the source?"),
            (None, "Is it true that nobody is able to identify the patient?"),
            (None, "Does the output avoid being rude, dismissive or condescending?"),
            (None, "Does it mention the refund?"),
            (None, "Does the output avoid mentioning price, discount or stock levels?"),
            (None, "Does the output avoid lying?"),
            (None, "Does the output avoid just restating the question?"),
            (None, "Does the output meet this: Contact details given?"),
        ],
    ),
    "a scoring guide": (
        """\
Scoring guide: 2 = fully met, 1 = partly met, 0 = not met

1. Hook: the first sentence names a problem the reader has
   2 = names a concrete problem
   1 = names a vague one
   0 = names none
2. Proof: cites one number with its source
3. Ask: ends with exactly one question

Excellent (9-10): publishes as is
Good (7-8): small edits
Poor (0-6): rewrite

How persuasive is the post, on a scale of 1 to 10?
Rate the clarity from 1 to 5.
""",
        [
            (None, "Does the first sentence name a problem the reader has?"),
            (None, "Does the output cite one number with its source?"),
            (None, "Does the output end with exactly one question?"),
            (None, "Is the post persuasive?"),
        ],
    ),
    "one sentence of each sort": (
        """\
- The bot should hand over to a human when asked
- No hallucinated citations
- Agents must verify identity before sharing account data
- Never discloses another customer's data
- Does the summary leave out names?
- The plan is feasible within two weeks
- Be honest about limits
- Don't use more than two emojis
- All links work
- Uses inclusive language and avoids stereotypes
- Should not only answer but also cite the source
- Cites a source for every number, or says that there is none
- The reply must either refund the order or explain why not
- Prices are in euros, not dollars
- Spelling follows British rules
- Customers should feel heard
- The user must not be asked for a password
- Reasoning is shown step by step
- The final answer is in a box
- Sentences under 25 words
- Is under 100 words and has a title
- Shouldn't contain placeholders
- Do not repeat yourself
- Answers the question that was asked
- Answer the question directly
- Explain your choice
- Two examples, each with numbers
- The tests must pass and the code must compile
- It must be clear who does what
- A paragraph may not exceed 5 lines
- Readers must be able to find the phone number
- You can't use contractions
- Respect for the reader
- Refusal where needed
- Mention of side effects is mandatory
- Only facts from the article
- Has 3 to 5 bullet points
- Title case headings
- Must start with "Dear" and end with a name
- Each step starts with a verb
- No step is skipped
- There is no jargon
- There should be exactly one call to action
- If asked for code, returns code only
- When in doubt, ask.
- Politeness: never rude, never curt
- Keep to the facts
- The tone must stay neutral throughout
- Do: greet by name
- Don't: promise discounts
- Should be written for a 12-year-old and must not talk down
- Please avoid: slang, idioms, jokes
- The doctor's name must be spelled correctly
- Analysis must be supported by data
- Was the customer asked for a receipt?
""",
        [
            (None, "Does the bot hand over to a human when asked?"),
            (None, "Does the output avoid hallucinated citations?"),
            (None, "Do agents verify identity before sharing account data?"),
            (None, "Does the output avoid disclosing another customer's data?"),
            (None, "Does the summary leave out names?"),
            (None, "Is the plan feasible within two weeks?"),
            (None, "Is the output honest about limits?"),
            (None, "Does the output avoid using more than two emojis?"),
            (None, "Does the output meet this: All links work?"),
            (None, "Does the output use inclusive language and avoid stereotypes?"),
            (None, 'Does the output meet this: "Should not only answer but also cite the source"?'),
            (None, "Does the output cite a source for every number, or say that there is none?"),
            (None, "Does the reply either refund the order or explain why not?"),
            (None, "Are prices in euros, not dollars?"),
            (None, "Does the output meet this: Spelling follows British rules?"),
            (None, "Do customers feel heard?"),
            (None, "Is it true that the user is not asked for a password?"),
            (None, "Is reasoning shown step by step?"),
            (None, "Is the final answer in a box?"),
            (None, "Does the output meet this: Sentences under 25 words?"),
            (None, 'Does the output meet this: "Is under 100 words and has a title"?'),
            (None, "Does the output avoid containing placeholders?"),
            (None, "Does the output avoid repeating itself?"),
            (None, "Does the output answer the question that was asked?"),
            (None, "Does the output answer the question directly?"),
            (None, "Does the output explain your choice?"),
            (None, "Does the output include two examples, each with numbers?"),
            (None, "Do the tests pass?"),
            (None, "Does the code compile?"),
            (None, "Is it clear who does what?"),
            (None, "Does a paragraph keep to at most 5 lines?"),
            (None, "Are readers able to find the phone number?"),
            (None, "Does the output avoid using contractions?"),
            (None, "Does the output meet this: Respect for the reader?"),
            (None, "Does the output meet this: Refusal where needed?"),
            (None, "Does the output include mention of side effects?"),
            (None, "Does the output meet this: Only facts from the article?"),
            (None, "Does the output have 3 to 5 bullet points?"),
            (None, "Does the output meet this: Title case headings?"),
            (None, 'Does the output start with "Dear" and end with a name?'),
            (None, "Does each step start with a verb?"),
            (None, "Is it true that no step is skipped?"),
            (None, "Is there no jargon?"),
            (None, "Is there exactly one call to action?"),
            (None, "If asked for code, does the output return code only?"),
            (None, "Does the output meet this: When in doubt, ask?"),
            (None, 'Does the output meet this: "Politeness: never rude, never curt"?'),
            (None, "Does the output keep to the facts?"),
            (None, "Does the tone stay neutral throughout?"),
            (None, "Does the output greet by name?"),
            (None, "Does the output avoid promising discounts?"),
            (None, "Is the output written for a 12-year-old?"),
            (None, "Does the output avoid talking down?"),
            (None, "Does the output avoid slang, idioms, jokes?"),
            (None, "Is the doctor's name spelled correctly?"),
            (None, "Is analysis supported by data?"),
            (None, "Was the customer asked for a receipt?"),
        ],
    ),
}
