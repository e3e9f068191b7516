"""Tests of the Python verifier, with vectors that no other verifier of this project made."""
import base64, json, os, unittest
import ed25519, exact_json, verify

# RFC 8032, section 7.1: public key, message and signature in hex.
VECTORS = [
    ('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', '',
     'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155'
     '5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'),
    ('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', '72',
     '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da'
     '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'),
]

def encoded(hexadecimal): return base64.b64encode(bytes.fromhex(hexadecimal)).decode()

class Signatures(unittest.TestCase):
    def test_accepts_the_vectors_of_the_standard(self):
        for key, message, signature in VECTORS:
            self.assertTrue(ed25519.is_signed('audpk_' + encoded(key), bytes.fromhex(message).decode(), encoded(signature)))

    def test_rejects_every_changed_byte_of_a_signature(self):
        key, message, signature = VECTORS[1]
        for at in range(64):
            changed = bytearray(bytes.fromhex(signature))
            changed[at] ^= 1
            text = base64.b64encode(changed).decode()
            self.assertFalse(ed25519.is_signed('audpk_' + encoded(key), bytes.fromhex(message).decode(), text), at)

    def test_rejects_values_that_are_not_signatures(self):
        key = 'audpk_' + encoded(VECTORS[0][0])
        for value in (None, 7, [], {}, '', 'AA==', encoded(VECTORS[0][2]) + '\n', encoded(VECTORS[0][2]).rstrip('=')):
            self.assertFalse(ed25519.is_signed(key, '', value), value)

    def test_rejects_the_same_signature_with_a_larger_scalar(self):
        key, message, signature = VECTORS[1]
        raw = bytes.fromhex(signature)
        larger = (int.from_bytes(raw[32:], 'little') + ed25519.Q).to_bytes(32, 'little')
        text = base64.b64encode(raw[:32] + larger).decode()
        self.assertFalse(ed25519.is_signed('audpk_' + encoded(key), bytes.fromhex(message).decode(), text))

class Texts(unittest.TestCase):
    def test_numbers_keep_their_digits(self):
        text = '{"a":1e+21,"b":1.0,"c":12345678901234567890123}'
        self.assertEqual(exact_json.write(exact_json.parse(text)), text)

    def test_keys_are_sorted_by_utf_16(self):
        self.assertEqual(list(json.loads(exact_json.canonical({'\ufffd': 1, '\U0001f600': 2, 'a': 3}))), ['a', '\U0001f600', '\ufffd'])

    def test_escapes_are_those_of_javascript(self):
        self.assertEqual(exact_json.write('\x00\x1f\x7f\u2028"\\\n\ud800'), '"\\u0000\\u001f\x7f\u2028\\"\\\\\\n\\ud800"')

    def test_times_have_exactly_one_form(self):
        self.assertEqual(exact_json.milliseconds('2026-01-31T12:00:00.001Z'), '1769860800001')
        for text in ('2026-01-31', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.001+00:00', '2026-01-31 12:00:00.001Z', ''):
            with self.assertRaises(ValueError): exact_json.milliseconds(text)

    def test_lines_that_are_no_objects_are_empty(self):
        for line in ('', '[]', 'null', '"x"', '{', '{"a":1}}'): self.assertEqual(exact_json.parse(line), {})

class Program(unittest.TestCase):
    def test_has_60_lines(self):
        with open(verify.__file__) as file: self.assertLessEqual(len(file.readlines()), 60)

    def test_a_folder_without_evidence_is_not_valid(self):
        self.assertEqual(verify.find_flaw(os.path.dirname(__file__), 'audpk_')[:3], ('history.ndjson', 0, 0))

if __name__ == '__main__': unittest.main()
