"""Expressions over `dataset.text`, which `tests/data/record_dataset.py` ran under MindSpore.

Names: `text` is `dataset.text`, `ds` is `dataset`, `ms` the package, `np` NumPy, `path` gives the path of a file of
`FILES`, and the names of `namespace`.
"""

from __future__ import annotations

import pathlib

import numpy as np

# ruff: noqa: E501
WORDS = [
    "book",
    "cholera",
    "era",
    "favor",
    "##ite",
    "my",
    "is",
    "love",
    "dur",
    "##ing",
    "the",
    "[UNK]",
    "[CLS]",
    "我",
    "##我",
    "un",
    "##un",
    "a",
]
FILES = {
    "vocab.txt": "apple,1\nbanana,2\n\npear pie,3\napple2,4",
    "plain.txt": "apple\nbanana\r\n cherry \n\ndate\n",
    "double.txt": "a\nb\na\n",
    "glove.6B.50d.txt": "ok 1 2 3\nhappy 0.5 -1.25 3e-2\n!!! 1 1 1\nok 9 9 9\n",
    "vectors.txt": "ok 1 2 3\nhappy 0.5 -1.25 3e-2\nHello 1 1 1\n<unk> 7 7 7\n",
    "head.vec": "3 2\nok 1 2\nhappy 0.5 -1.25\nyou 4 5\n",
    "head.txt": "3 2\nok 1 2\nhappy 0.5 -1.25\nyou 4 5\n",
    "one.txt": "ok 1\nhappy 2\n",
    "uneven.txt": "ok 1 2\nhappy 2\n",
    "broken.txt": "ok 1 x\n",
    "tabs.txt": "ok\t1 2\nhappy\t3 4\n",
    "spaces.txt": "  ok 1 2  \n\nhappy 3 4 \n",
    "ngrams.txt": "1gram-h 1 2\n2gram-ha 3 4\n2gram-ap 0.5 0.5\n3gram-app -1 -2\n1gram-p 0.25 0.5\n4gram-#END##BEGIN# 8 8\n2gram-#BEGIN#h 1 1\n2gram-y#END# 2 2\n3gram-py#END# 2 4\n",
    "empty.txt": "",
    "words.txt": "a b a\nc b a\nd  e\n",
    "jieba.txt": "男默女泪 10 n\n今天 100 n\n天气 200 n\n今 3 n\n天 5 n\n气 7 n\n我 50 n\n爱 40 n\n中国 100 n\n中 5 n\n国 6 n\n天安门 50 n\n人 30 n\n人民 80 n\n很 4 d\n好 8 a\n江州 1 n\n市 10 n\n长江 10 n\n大桥 9 n\n市长 20 n\nAT&T 3 nz\n",
    "hmm.txt": "#B E M S\n-0.26268660809250016 -3.14e+100 -3.14e+100 -1.4652633398537678\n-3.14e+100 -0.510825623765990 -0.916290731874155 -3.14e+100\n-0.5897149736854513 -3.14e+100 -3.14e+100 -0.8085250474669937\n-3.14e+100 -0.33344856811948514 -1.2603623820268226 -3.14e+100\n-0.7211965654669841 -3.14e+100 -3.14e+100 -0.6658631448798212\n#B\n今:-1,天:-4,气:-6,我:-9,很:-5,好:-6,杭:-2,研:-3,大:-1.5\n#E\n今:-6,天:-1,气:-2,我:-9,很:-5,好:-4,杭:-5,研:-2,厦:-1\n#M\n今:-6,天:-3,气:-5,我:-9,很:-7,好:-6\n#S\n今:-6,天:-4,气:-5,我:-1,很:-1,好:-2,了:-1\n",
    "user.txt": "杭研 5 n\n气我 50\n",
    "user2.txt": "杭研\n气我\n",
}

CASES = r"""
text.Vocab.from_list(['a', 'b', 'c']).vocab()
text.Vocab.from_list(['a', 'b'], ['<x>', '<y>']).vocab()
text.Vocab.from_list(['a', 'b'], ['<x>', '<y>'], False).vocab()
text.Vocab.from_list([]).vocab()
text.Vocab.from_list(['a', 'a'])
text.Vocab.from_list(['a'], ['a'])
text.Vocab.from_list(['a'], [])
text.Vocab.from_list(['a'], ['x', 'x'])
text.Vocab.from_list('a')
text.Vocab.from_list([1])
text.Vocab.from_list(['a'], 'x')
text.Vocab.from_list(['a'], None, 1)
text.Vocab.from_list(np.array(['a']))
text.Vocab.from_list(('a',))
text.Vocab.from_dict({'a': 3, 'b': 1}).vocab()
text.Vocab.from_dict({'a': -1})
text.Vocab.from_dict({1: 1})
text.Vocab.from_dict({'a': 'b'})
text.Vocab.from_dict({'a': 1, 'b': 1}).vocab()
text.Vocab.from_dict(['a'])
text.Vocab.from_file(path('vocab.txt'), ',').vocab()
text.Vocab.from_file(path('vocab.txt')).vocab()
text.Vocab.from_file(path('plain.txt')).vocab()
text.Vocab.from_file(path('plain.txt'), '', 2).vocab()
text.Vocab.from_file(path('plain.txt'), '', 2, ['<p>'], False).vocab()
text.Vocab.from_file(path('plain.txt'), '', 200, ['<p>']).vocab()
text.Vocab.from_file(path('plain.txt'), None).vocab()
text.Vocab.from_file(path('plain.txt'), '', 0)
text.Vocab.from_file(path('plain.txt'), '', 1.5)
text.Vocab.from_file(path('plain.txt'), '', None, ['apple'])
text.Vocab.from_file(path('double.txt'))
text.Vocab.from_file(path('missing.txt'))
text.Vocab.from_file(3)
text.Vocab.from_file(path('plain.txt'), 3)
text.Vocab.from_file(path('plain.txt'), special_first=None)
vocab.tokens_to_ids('book')
vocab.tokens_to_ids(['book', 'my'])
vocab.tokens_to_ids(['my'])
vocab.tokens_to_ids(np.array(['my']))
vocab.ids_to_tokens([1])
text.PythonTokenizer(str.split)(np.array([['a b', 'c'], ['d', 'e f']]))
text.PythonTokenizer(str.split)(np.array(['abc def', 'c']))
vocab.tokens_to_ids(['book', 'nothing'])
vocab.tokens_to_ids('nothing')
vocab.tokens_to_ids(np.array(['book', 'my']))
vocab.tokens_to_ids(np.array([['book'], ['my']]))
vocab.tokens_to_ids(np.array('my'))
vocab.tokens_to_ids(3)
vocab.tokens_to_ids([3])
vocab.tokens_to_ids([])
vocab.tokens_to_ids(('book', 'my'))
vocab.ids_to_tokens(0)
vocab.ids_to_tokens([0, 5])
vocab.ids_to_tokens(np.array([0, 5]))
vocab.ids_to_tokens(np.array([[0], [5]]))
vocab.ids_to_tokens(1000)
vocab.ids_to_tokens([1, 1000])
vocab.ids_to_tokens(-1)
vocab.ids_to_tokens('a')
vocab.ids_to_tokens(['a'])
vocab.ids_to_tokens([1.0])
vocab.ids_to_tokens([])
vocab.ids_to_tokens(True)
text.Vocab.from_dataset(letters()).vocab()
text.Vocab.from_dataset(letters(), 'text').vocab()
text.Vocab.from_dataset(letters(), ['text']).vocab()
text.Vocab.from_dataset(letters(), None, (2, 3)).vocab()
text.Vocab.from_dataset(letters(), None, (2, None)).vocab()
text.Vocab.from_dataset(letters(), None, (None, 2)).vocab()
text.Vocab.from_dataset(letters(), None, (None, None)).vocab()
text.Vocab.from_dataset(letters(), None, None, 2).vocab()
text.Vocab.from_dataset(letters(), None, None, 200, ['<p>'], True).vocab()
text.Vocab.from_dataset(letters(), None, None, 2, ['<p>'], False).vocab()
text.Vocab.from_dataset(letters(), None, None, None, ['a'])
text.Vocab.from_dataset(letters(), 'none')
text.Vocab.from_dataset(letters(), None, (3, 2))
text.Vocab.from_dataset(letters(), None, (-1, 2))
text.Vocab.from_dataset(letters(), None, 3)
text.Vocab.from_dataset(letters(), None, (1, 2, 3))
text.Vocab.from_dataset(letters(), None, ('a', 2))
text.Vocab.from_dataset(letters(), None, None, 0)
text.Vocab.from_dataset(letters(), None, None, 'a')
text.Vocab.from_dataset(letters(), 3)
text.Vocab.from_dataset(3)
text.Vocab.from_dataset(two_columns()).vocab()
text.Vocab.from_dataset(two_columns(), 'b').vocab()
text.Vocab.from_dataset(two_columns(), ['a', 'b'], None, 3).vocab()
text.Vocab.from_dataset(ds.NumpySlicesDataset([1, 2], ['n']))
text.Lookup(vocab)('book')
text.Lookup(vocab)(['book', 'my'])
text.Lookup(vocab)(np.array([['book', 'my']]))
text.Lookup(vocab)('nothing')
text.Lookup(vocab, '[UNK]')('nothing')
text.Lookup(vocab, '[UNK]')(['nothing', 'my'])
text.Lookup(vocab, 'absent')('my')
text.Lookup(vocab, data_type=ms.int64)('my')
text.Lookup(vocab, data_type=ms.float32)('my')
text.Lookup(vocab, data_type=ms.uint8)(['my', 'book'])
text.Lookup(vocab, data_type=ms.bool_)(['my', 'book'])
text.Lookup(vocab, data_type=ms.string)('my')
text.Lookup(vocab)(b'my')
text.Lookup(vocab)(3)
text.Lookup(['my'])
text.Lookup(vocab, 3)
text.ToNumber(ms.int8)(['1', '-2', '3'])
text.ToNumber(ms.int32)('12')
text.ToNumber(ms.int32)([['1'], ['2']])
text.ToNumber(ms.int8)(['128'])
text.ToNumber(ms.int8)(['-128', '127'])
text.ToNumber(ms.uint8)(['-1'])
text.ToNumber(ms.uint8)(['255'])
text.ToNumber(ms.uint8)(['256'])
text.ToNumber(ms.uint64)(['18446744073709551615'])
text.ToNumber(ms.uint64)(['-1'])
text.ToNumber(ms.int64)(['9223372036854775807'])
text.ToNumber(ms.int64)(['9223372036854775808'])
text.ToNumber(ms.int32)(['1.5'])
text.ToNumber(ms.int32)(['a'])
text.ToNumber(ms.int32)([''])
text.ToNumber(ms.int32)([' 7'])
text.ToNumber(ms.int32)(['7 '])
text.ToNumber(ms.int32)(['+7'])
text.ToNumber(ms.int32)(['1_0'])
text.ToNumber(ms.int32)(['0x10'])
text.ToNumber(ms.int32)(['1e3'])
text.ToNumber(ms.float32)(['1.5', '-2', '1e3', '.5', '5.'])
text.ToNumber(ms.float32)(['1e39'])
text.ToNumber(ms.float32)(['1e-50'])
text.ToNumber(ms.float32)(['inf'])
text.ToNumber(ms.float32)(['nan'])
text.ToNumber(ms.float32)(['1.5x'])
text.ToNumber(ms.float32)([' 1.5'])
text.ToNumber(ms.float16)(['1.5'])
text.ToNumber(ms.float16)(['70000'])
text.ToNumber(ms.float64)(['1.5', '1e308'])
text.ToNumber(ms.float64)(['1e309'])
text.ToNumber(ms.bool_)(['1'])
text.ToNumber(ms.string)(['1'])
text.ToNumber(ms.int32)([1])
text.ToNumber(ms.int32)(['一'])
text.ToNumber(ms.int32)(['٣'])
text.ToVectors(text.GloVe.from_file(path('glove.6B.50d.txt')))(['ok', 'happy', 'none'])
text.ToVectors(text.GloVe.from_file(path('glove.6B.50d.txt')))('ok')
text.ToVectors(text.GloVe.from_file(path('glove.6B.50d.txt'), 1))(['ok', 'happy'])
text.GloVe.from_file(path('glove.6B.50d.txt'), 0)
text.GloVe.from_file(path('glove.6B.50d.txt'), -1)
text.GloVe.from_file(path('glove.6B.50d.txt'), 1.5)
text.GloVe.from_file(path('vectors.txt'))
text.GloVe.from_file(path('missing.txt'))
text.GloVe.from_file(3)
text.ToVectors(text.Vectors.from_file(path('vectors.txt')))(['ok', 'happy', 'hello', 'Hello'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), [-1, 2, 3])(['hello'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), [-1.5, 2, 3], True)(['hello', 'HELLO', 'OK', 'Ok'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), lower_case_backup=True)(['OK', 'HAPPY', 'Hello'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), [1, 2])(['x'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), 'a')
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), ['a', 'b', 'c'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), None, 1)
text.ToVectors(text.Vectors.from_file(path('vectors.txt')))([['ok'], ['x']])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')))([1])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')))(['ok'])
text.ToVectors(text.Vectors.from_file(path('vectors.txt')))([])
text.ToVectors(3)
text.ToVectors(text.Vectors.from_file(path('head.txt')))(['ok', 'you'])
text.ToVectors(text.Vectors.from_file(path('head.txt'), 1))(['ok', 'happy'])
text.ToVectors(text.Vectors.from_file(path('tabs.txt')))(['ok'])
text.ToVectors(text.Vectors.from_file(path('spaces.txt')))(['ok', 'happy'])
text.Vectors.from_file(path('one.txt'))
text.Vectors.from_file(path('uneven.txt'))
text.Vectors.from_file(path('broken.txt'))
text.Vectors.from_file(path('empty.txt'))
text.ToVectors(text.FastText.from_file(path('head.vec')))(['ok', 'you', 'none'])
text.ToVectors(text.FastText.from_file(path('head.vec'), 2))(['ok', 'you'])
text.FastText.from_file(path('head.txt'))
text.ToVectors(text.CharNGram.from_file(path('ngrams.txt')))(['happy', 'h', 'none', 'zzz'])
text.ToVectors(text.CharNGram.from_file(path('ngrams.txt')))('happy')
text.ToVectors(text.CharNGram.from_file(path('ngrams.txt')), [9, 9])(['zzz', 'Happy'])
text.ToVectors(text.CharNGram.from_file(path('ngrams.txt')), [9, 9], True)(['HAPPY'])
text.ToVectors(text.CharNGram.from_file(path('ngrams.txt'), 1))(['h', 'happy'])
text.AddToken('T')(['a', 'b'])
text.AddToken('T', False)(['a', 'b'])
text.AddToken('T')([['a', 'b'], ['c', 'd']])
text.AddToken('T', False)([['a', 'b'], ['c', 'd']])
text.AddToken('TOKEN')('a')
text.AddToken('T')([1, 2])
text.AddToken('T')([[['a']]])
text.AddToken(3)
text.AddToken('T', 3)
text.AddToken('')(['a'])
text.Truncate(2)(['a', 'b', 'c'])
text.Truncate(5)(['a', 'b', 'c'])
text.Truncate(0)(['a', 'b', 'c'])
text.Truncate(1)([['a', 'b'], ['c', 'd']])
text.Truncate(2)([1, 2, 3])
text.Truncate(2)('abc')
text.Truncate(1)(np.ones((2, 2, 2)))
text.Truncate(-1)
text.Truncate('a')
text.Truncate(1.5)
text.TruncateSequencePair(4)([1, 2, 3], [4, 5])
text.TruncateSequencePair(3)([1, 2, 3], [4, 5])
text.TruncateSequencePair(5)([1, 2, 3], [4, 5])
text.TruncateSequencePair(1)([1, 2, 3], [4, 5])
text.TruncateSequencePair(2)([1, 2], [4, 5, 6, 7])
text.TruncateSequencePair(3)([1, 2, 3], [4, 5, 6])
text.TruncateSequencePair(0)([1], [2])
text.TruncateSequencePair(-1)
text.TruncateSequencePair(1.5)
text.TruncateSequencePair(4)([[1, 2, 3]], [[4, 5]])
text.TruncateSequencePair(3)(['a', 'b'], ['c', 'd'])
text.TruncateSequencePair(3)(['a', 'b'])
text.TruncateSequencePair(3)(['a', 'b'], [1, 2])
text.SlidingWindow(2)(['a', 'b', 'c'])
text.SlidingWindow(3)([1, 2, 3])
text.SlidingWindow(4)([1, 2, 3])
text.SlidingWindow(2, 0)(np.array([1.5, 2, 3]))
text.SlidingWindow(2, -1)([1, 2, 3])
text.SlidingWindow(2, 1)([1, 2, 3])
text.SlidingWindow(2)([[1, 2, 3]])
text.SlidingWindow(0)
text.SlidingWindow(1.5)
text.SlidingWindow(2, 'a')
text.SlidingWindow(2)('a')
text.Ngram(2)(['a', 'b', 'c'])
text.Ngram([1, 2])(['a', 'b', 'c'])
text.Ngram((3, 1))(['a', 'b', 'c'])
text.Ngram(2, ('_', 1))(['a', 'b', 'c'])
text.Ngram(3, ('_', 2), ('-', 1), '+')(['a', 'b', 'c'])
text.Ngram(3, ('_', 5), ('-', 5), '+')(['a', 'b'])
text.Ngram(4)(['a', 'b', 'c'])
text.Ngram([4, 2])(['a', 'b', 'c'])
text.Ngram([4, 5])(['a', 'b', 'c'])
text.Ngram(5, ('_', 1))(['a', 'b'])
text.Ngram(1)(['a'])
text.Ngram(2)([['a', 'b']])
text.Ngram(2)('a b')
text.Ngram(2)([1, 2])
text.Ngram(0)
text.Ngram([])
text.Ngram([1, 'a'])
text.Ngram(2, ('_', -1))
text.Ngram(2, '_')
text.Ngram(2, (1, 1))
text.Ngram(2, ('_', 1, 2))
text.Ngram(2, separator=3)
text.PythonTokenizer(str.split)(np.array('a b'))
text.PythonTokenizer(lambda line: line.split())(np.array(b'a b'))
text.PythonTokenizer(str.split)('a b')
text.PythonTokenizer(lambda line: [])(np.array('a b'))
text.PythonTokenizer(str.split)(np.array(['a b']))
text.PythonTokenizer(3)
text.to_str(np.array([b'a', b'b']))
text.to_str(np.array([b'\xe6\x88\x91']))
text.to_str(np.array([b'\xff']))
text.to_str(np.array(['a']))
text.to_str(np.array([b'\xe9']), 'latin1')
text.to_str([b'a'])
text.to_str(np.array([1]))
text.to_bytes(np.array(['a', '我']))
text.to_bytes(np.array([b'a']))
text.to_bytes(np.array(['é']), 'latin1')
text.to_bytes(np.array(['我']), 'ascii')
text.to_bytes(['a'])
text.to_bytes(np.array(['a']), 3)
[(each.name, each.value) for each in text.JiebaMode]
[(each.name, each.value) for each in text.NormalizeForm]
[(each.name, each.value) for each in text.SentencePieceModel]
[(each.name, each.value) for each in text.SPieceTokenizerOutType]
[(each.name, each.value) for each in text.SPieceTokenizerLoadType]
text.WhitespaceTokenizer()('a  b c ')
text.WhitespaceTokenizer(True)(' 我 b\u3000\xa0c\u2009d\x85e\x1cf\u200bg\ufeffh\u180ei\u2028j')
text.WhitespaceTokenizer()('')
text.WhitespaceTokenizer(True)('')
text.WhitespaceTokenizer(True)('   ')
text.WhitespaceTokenizer()(['a b'])
text.WhitespaceTokenizer()(['a b', 'c'])
text.WhitespaceTokenizer()(3)
text.WhitespaceTokenizer()(b'a b')
text.WhitespaceTokenizer(1)
text.UnicodeCharTokenizer()('a我 é')
text.UnicodeCharTokenizer(True)('a我 e\u0301😀')
text.UnicodeCharTokenizer()('')
text.UnicodeCharTokenizer(True)('')
text.UnicodeCharTokenizer()(['ab'])
text.UnicodeCharTokenizer()(1)
text.UnicodeCharTokenizer('a')
text.UnicodeScriptTokenizer()('Hello 我们a1, b!かな한글 Привет')
text.UnicodeScriptTokenizer(True)('Hello 我们a1, b!かな한글  Привет')
text.UnicodeScriptTokenizer(True, True)('Hello 我们a1, b!かな한글 Привет')
text.UnicodeScriptTokenizer(False, True)(' a e\u0301ー々〇カタ－ｱ！１２Ａ😀\u200d\ue000 \t\n x')
text.UnicodeScriptTokenizer()('')
text.UnicodeScriptTokenizer(True, True)('')
text.UnicodeScriptTokenizer()('  ')
text.UnicodeScriptTokenizer(1)
text.UnicodeScriptTokenizer(True, 1)
text.UnicodeScriptTokenizer()(['a'])
text.CaseFold()('Welcome To BeiJing!')
text.CaseFold()('ÀÉ Straße ΣΑΣ İıſ ǅ Ω ﬁ Å ẞ')
text.CaseFold()(['Aa', 'B'])
text.CaseFold()([['Aa'], ['B']])
text.CaseFold()('\xad\u200d soft ½ ℌ Ⅷ ① Ａ e\u0301 \u1e9b\u0323')
text.CaseFold()('')
text.CaseFold()(3)
text.CaseFold()('\u0345\u03b9 \u13a0\uab70 \u10400')
text.NormalizeUTF8()('ṩ ḍ̇ q̇ ﬁ 2⁵ ẛ')
text.NormalizeUTF8(text.NormalizeForm.NONE)('ṩ ḍ̇ q̇ ﬁ 2⁵ ẛ')
text.NormalizeUTF8(text.NormalizeForm.NFC)('ṩ ḍ̇ q̇ ﬁ 2⁵ ẛ')
text.NormalizeUTF8(text.NormalizeForm.NFD)('ṩ ḍ̇ q̇ ﬁ 2⁵ ẛ')
text.NormalizeUTF8(text.NormalizeForm.NFKD)('ṩ ḍ̇ q̇ ﬁ 2⁵ ẛ')
text.NormalizeUTF8(text.NormalizeForm.NFKC)(['ﬁ', 'Å'])
text.NormalizeUTF8('NFC')
text.NormalizeUTF8()(1)
text.FilterWikipediaXML()('Welcome    to    China')
text.FilterWikipediaXML()('<page><title>Hello WORLD</title> [[Link|text]] &amp; 12 cats #REDIRECT [[x]]')
text.FilterWikipediaXML()(['A1b', 'C  d'])
text.FilterWikipediaXML()('<text xml:space="preserve">Born [[1 May]] {{cite|x}} [http://a.b c] [[image:a.png|thumb|d]] &lt;ref&gt;x&lt;/ref&gt; [[category:Art|k]] é 0123456789')
text.FilterWikipediaXML()('')
text.FilterWikipediaXML()(3)
text.FilterWikipediaXML()('[[:en:Foo|bar]] [[fr:Baz]] <b>x</b> &nbsp; ] [ } {a} -- [//x y]')
text.FilterWikipediaXML()('a<b>c d<e\nf>g &a<b;c>d;e <k&l>m;n H 2')
text.FilterWikipediaXML()('x #REDIRECT y')
text.FilterWikipediaXML()('x #Redirect y')
text.RegexReplace('apple', 'orange')('apple pie apple')
text.RegexReplace('apple', 'orange', False)('apple pie apple')
text.RegexReplace('(a)(b)', '$2$1')('xabyab')
text.RegexReplace('[0-9]+', '')('a1b22c333')
text.RegexReplace('a', '\\$')('banana')
text.RegexReplace('a', '\\\\')('banana')
text.RegexReplace('a', '$0$0')('banana')
text.RegexReplace('(?<first>a)', '${first}-')('banana')
text.RegexReplace('a', '\\u0041')('banana')
text.RegexReplace('(a)', '$12')('banana')
text.RegexReplace('a', '$')('banana')
text.RegexReplace('a', '$1')('banana')
text.RegexReplace('', '-')('ab')
text.RegexReplace('^', '-')('ab\ncd')
text.RegexReplace('x*', '-')('axb')
text.RegexReplace('\\s+', ' ')(['a  b', 'c\td'])
text.RegexReplace('\\p{Han}', 'H')('a我b')
text.RegexReplace('[[:punct:]]', '')('a,b!')
text.RegexReplace('(', '')
text.RegexReplace('(', '')('a')
text.RegexReplace(3, '')
text.RegexReplace('a', 3)
text.RegexReplace('a', 'b', 3)
text.RegexReplace('a', 'b')(3)
text.RegexTokenizer('\\s+')('Welcome to  Bei')
text.RegexTokenizer('\\s+', '\\s+')('Welcome to  Bei')
text.RegexTokenizer('\\s+', '\\s+', True)(' 我 to  Bei ')
text.RegexTokenizer('\\s+', '', True)(' 我 to  Bei ')
text.RegexTokenizer('\\s|,', ',', True)('a,b c,,d')
text.RegexTokenizer('[ |,]', '\\|')('a |b, c')
text.RegexTokenizer('\\s+')('')
text.RegexTokenizer('\\s+', with_offsets=True)('')
text.RegexTokenizer('\\s+')('   ')
text.RegexTokenizer('x*')('axb')
text.RegexTokenizer('x*', 'x*')('axb')
text.RegexTokenizer('[\\p{Han}]', '[\\p{Han}]', True)('a我们b')
text.RegexTokenizer('(\\s)(?=b)', '.*')('a b c')
text.RegexTokenizer('ab|b', 'b')('abb b')
text.RegexTokenizer('b', 'a')('abc')
text.RegexTokenizer('[')('a')
text.RegexTokenizer(3)
text.RegexTokenizer('a', 3)
text.RegexTokenizer('a', '', 3)
text.RegexTokenizer('a')(['a'])
text.BasicTokenizer()('Welcome     To   BeiJing!')
text.BasicTokenizer(True)('Welcome À To BeiJing İ Straße ﬁ!')
text.BasicTokenizer(True, with_offsets=True)('Welcome À To BeiJing İ Straße!')
text.BasicTokenizer(keep_whitespace=True, with_offsets=True)(' a  我们 b,c\td ')
text.BasicTokenizer(with_offsets=True)('[CLS] 我们a[SEP] [unused10][UNK] [X] [mask]')
text.BasicTokenizer(preserve_unused_token=False)('[CLS] 我们a[SEP] [unused10][UNK] [X]')
text.BasicTokenizer(True)('[CLS] Hello [SEP] [unused1] [MASK] [PAD] [UNK] [unusedX] [UNUSED1]')
text.BasicTokenizer(True, preserve_unused_token=False)('[CLS] Hello [unused1]')
text.BasicTokenizer(normalization_form=text.NormalizeForm.NFKC)('ﬁ Ａ ½ e\u0301')
text.BasicTokenizer(normalization_form=text.NormalizeForm.NFD)('é')
text.BasicTokenizer(with_offsets=True)('a\x00b\ufffdc\x07d\u200be\u00adf\x85g\nh\u3000i\u2028j')
text.BasicTokenizer(keep_whitespace=True)('a\x00b\ufffdc\x07d\u200be\u00adf\x85g\nh\u3000i\u2028j')
text.BasicTokenizer()('$100 + ^a `b` a_b «q» 。，！？ー｟x｠ ~a=b|c <d> @#%&*')
text.BasicTokenizer()('\u3400\U00020000\uf900か한ヶ々〇')
text.BasicTokenizer()('')
text.BasicTokenizer(with_offsets=True)('')
text.BasicTokenizer()('  ')
text.BasicTokenizer()(['a b'])
text.BasicTokenizer()(3)
text.BasicTokenizer(1)
text.BasicTokenizer(False, 1)
text.BasicTokenizer(normalization_form=1)
text.BasicTokenizer(preserve_unused_token=1)
text.BasicTokenizer(with_offsets=1)
text.WordpieceTokenizer(vocab)('favorite')
text.WordpieceTokenizer(vocab)(['favorite', 'my', 'nothing', 'book', 'during', 'loveing'])
text.WordpieceTokenizer(vocab, with_offsets=True)(['favorite', 'my', 'nothing', '我我', 'a'])
text.WordpieceTokenizer(vocab, unknown_token='')(['favorite', 'nothing', 'favoritex'])
text.WordpieceTokenizer(vocab, unknown_token='', with_offsets=True)(['favorite', 'nothing', 'favoritex'])
text.WordpieceTokenizer(vocab, unknown_token='<none>')(['nothing'])
text.WordpieceTokenizer(vocab, '**')('favorite')
text.WordpieceTokenizer(vocab, max_bytes_per_token=3)(['favorite', 'my', 'the'])
text.WordpieceTokenizer(vocab, max_bytes_per_token=3, with_offsets=True)(['favorite', 'my', 'the', '我我'])
text.WordpieceTokenizer(vocab, max_bytes_per_token=0)(['my'])
text.WordpieceTokenizer(vocab)([''])
text.WordpieceTokenizer(vocab)([])
text.WordpieceTokenizer(vocab)([['my']])
text.WordpieceTokenizer(vocab)([1])
text.WordpieceTokenizer(['my'])
text.WordpieceTokenizer(vocab, 3)
text.WordpieceTokenizer(vocab, max_bytes_per_token='a')
text.WordpieceTokenizer(vocab, max_bytes_per_token=-1)
text.WordpieceTokenizer(vocab, unknown_token=3)
text.WordpieceTokenizer(vocab, with_offsets=3)
text.BertTokenizer(vocab)('favorite book, my 我我 x')
text.BertTokenizer(vocab, with_offsets=True)(' favorite book, my 我我 x  [CLS] during')
text.BertTokenizer(vocab, lower_case=True)('FAVORITE Book [CLS] [cls]')
text.BertTokenizer(vocab, keep_whitespace=True, with_offsets=True)('my  book')
text.BertTokenizer(vocab, unknown_token='')('nothing my')
text.BertTokenizer(vocab, max_bytes_per_token=4)('favorite my')
text.BertTokenizer(vocab, '**')('favorite my')
text.BertTokenizer(vocab, normalization_form=text.NormalizeForm.NFKC)('ｍｙ')
text.BertTokenizer(vocab, preserve_unused_token=False)('[CLS]')
text.BertTokenizer(vocab)('')
text.BertTokenizer(vocab, with_offsets=True)('')
text.BertTokenizer(3)
text.BertTokenizer(vocab, lower_case=3)
text.BertTokenizer(vocab, normalization_form='a')
text.BertTokenizer(vocab)(['my book'])
jieba(text.JiebaMode.MP)('今天天气很好我爱中国')
jieba(text.JiebaMode.HMM)('今天天气很好我爱中国')
jieba(text.JiebaMode.MIX)('今天天气很好我爱杭研了')
jieba(text.JiebaMode.MP, True)('今天，天气 good 3.14x, AT&T我 \t\n。爱')
jieba(text.JiebaMode.MIX, True)('今天，天气 good 3.14x, AT&T我 \t\n。爱')
jieba(text.JiebaMode.HMM, True)('今天，天气 good 3.14x, AT&T我 \t\n。爱')
jieba(text.JiebaMode.MIX)('市长江州大桥 a1b2 12ab ab.cd 1.2.3 é😀大厦')
jieba(text.JiebaMode.MP)('')
jieba(text.JiebaMode.MP, True)('')
jieba(text.JiebaMode.MP)(['今天'])
jieba(text.JiebaMode.MP)(3)
added(text.JiebaMode.MP, ('杭研',))('我爱杭研今天')
added(text.JiebaMode.MP, ('杭研', 5))('我爱杭研今天')
added(text.JiebaMode.MP, ('天气很', 100000))('今天天气很好')
added(text.JiebaMode.MP, ('天气很', 1))('今天天气很好')
added(text.JiebaMode.MP, ('天气很',))('今天天气很好')
added(text.JiebaMode.MIX, ('了',))('今天了研')
added(text.JiebaMode.MIX, ('杭',))('杭研了')
added(text.JiebaMode.MP, ('',))
added(text.JiebaMode.MP, (3,))
added(text.JiebaMode.MP, ('a', -1))
added(text.JiebaMode.MP, ('a', 'b'))
added(text.JiebaMode.MP, ('good day', 10))('good day')
with_words(text.JiebaMode.MP, {'杭研': 10, '气很': 99999})('我爱杭研天气很好')
with_words(text.JiebaMode.MP, {'杭研': None})('我爱杭研')
with_words(text.JiebaMode.MP, path('user.txt'))('爱杭研气我')
with_words(text.JiebaMode.MP, path('user2.txt'))('爱杭研气我')
with_words(text.JiebaMode.MP, path('missing.txt'))
with_words(text.JiebaMode.MP, 3)
with_words(text.JiebaMode.MP, {3: 3})
with_words(text.JiebaMode.MP, {'a': 'b'})
text.JiebaTokenizer('none', path('jieba.txt'))
text.JiebaTokenizer(path('hmm.txt'), 'none')
text.JiebaTokenizer(path('hmm.txt'), path('jieba.txt'), 1)
text.JiebaTokenizer(path('hmm.txt'), path('jieba.txt'), with_offsets=1)
text.JiebaTokenizer(3, path('jieba.txt'))
rows(sentences().map(text.WhitespaceTokenizer()))
rows(sentences().map(text.WhitespaceTokenizer(True), ['text'], ['token', 'start', 'limit']))
rows(sentences().map([text.CaseFold(), text.BasicTokenizer(), text.Lookup(vocab, '[UNK]')]))
rows(sentences().map([text.WhitespaceTokenizer(), text.SlidingWindow(2)]))
rows(sentences().map(text.Lookup(vocab)))
rows(sentences().map([text.PythonTokenizer(str.split), text.Truncate(2)]))
rows(ds.NumpySlicesDataset(np.array([b'a b', b'c d']), ['text'], shuffle=False).map(text.WhitespaceTokenizer()))
"""


# Where TorchSpore differs on purpose: what it does instead, and for which expressions.
_INSTEAD = r"""
checks its arguments
text.Vocab.from_dataset(3)
text.TruncateSequencePair(-1)
text.TruncateSequencePair(1.5)
text.to_str(np.array(['a']))
text.to_bytes(np.array([b'a']))
text.to_bytes(['a'])
text.RegexReplace('(', '')
text.Vectors.from_file(path('broken.txt'))
added(text.JiebaMode.MP, ('',))
added(text.JiebaMode.MP, (3,))
with_words(text.JiebaMode.MP, {3: 3})

reads a number too small for the data type as zero
text.ToNumber(ms.float32)(['1e-50'])

takes a file of vectors whatever its name
text.GloVe.from_file(path('vectors.txt'))
text.FastText.from_file(path('head.txt'))

looks for the word as it is first, as MindSpore's documentation says
text.ToVectors(text.Vectors.from_file(path('vectors.txt')), lower_case_backup=True)(['OK', 'HAPPY', 'Hello'])

filters each text of an array; MindSpore joins them
text.FilterWikipediaXML()(['A1b', 'C  d'])
text.RegexReplace('\\s+', ' ')(['a  b', 'c\td'])

keeps the letter R, which MindSpore loses
text.FilterWikipediaXML()('x #Redirect y')

lowers each part of the text once, also with several special tokens
text.BasicTokenizer(True)('[CLS] Hello [SEP] [unused1] [MASK] [PAD] [UNK] [unusedX] [UNUSED1]')
text.BertTokenizer(vocab, lower_case=True)('FAVORITE Book [CLS] [cls]')

gives each token its own offsets
text.WordpieceTokenizer(vocab, unknown_token='', with_offsets=True)(['favorite', 'nothing', 'favoritex'])
text.WordpieceTokenizer(vocab, max_bytes_per_token=3, with_offsets=True)(['favorite', 'my', 'the', '我我'])
jieba(text.JiebaMode.MP, True)('')

reads the parts of speech in a dictionary of the user, as Jieba does
with_words(text.JiebaMode.MP, path('user.txt'))('爱杭研气我')
"""


def differences():
    """Return what TorchSpore does differently, by expression."""
    return grouped(_INSTEAD)


def grouped(text):
    """Return the line that each other line of a paragraph stands below."""
    groups = [group.split("\n") for group in text.strip().split("\n\n")]
    return {expression: reason for reason, *expressions in groups for expression in expressions}


def expressions():
    """Return the expressions, one for each line of the table."""
    return [line for line in CASES.splitlines() if line.strip()]


def write_files(folder):
    """Write the files that expressions read into a folder."""
    for name, content in FILES.items():
        (pathlib.Path(folder) / name).write_text(content, encoding="utf-8", newline="")


def namespace(ms, ds, text, folder):
    """Return the names that the expressions use, over a package and a folder with the files."""

    def path(name):
        return str(pathlib.Path(folder) / name)

    def jieba(mode, with_offsets=False):
        return text.JiebaTokenizer(path("hmm.txt"), path("jieba.txt"), mode, with_offsets)

    def added(mode, word):
        tokenizer = jieba(mode)
        tokenizer.add_word(*word)
        return tokenizer

    def with_words(mode, words):
        tokenizer = jieba(mode)
        tokenizer.add_dict(words)
        return tokenizer

    def letters():
        lines = [np.array(line.split()) for line in ("a b a", "c b a", "d e")]
        return ds.GeneratorDataset(lines, ["text"], shuffle=False)

    return {
        "ms": ms, "ds": ds, "text": text, "np": np, "path": path, "jieba": jieba, "added": added,
        "with_words": with_words, "letters": letters, "vocab": text.Vocab.from_list(WORDS),
        "two_columns": lambda: ds.NumpySlicesDataset((["a", "b"], ["b", "c"]), ["a", "b"], shuffle=False),
        "sentences": lambda: ds.NumpySlicesDataset(["my favorite book", "Love is"], ["text"], shuffle=False),
        "rows": lambda data: [list(row.items()) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)],
    }  # fmt: skip


def plain(result):
    """Return a result as JSON has it; None for what has no values, such as a transform."""
    if isinstance(result, (tuple, list)):
        return [plain(each) for each in result]
    if isinstance(result, (np.ndarray, np.generic)):
        values = np.asarray(result)
        if values.dtype.kind == "S":
            values = values.astype(object)
            shown = [each.decode("latin1") for each in values.reshape(-1)]
        else:
            shown = values.reshape(-1).tolist()
        return {"dtype": str(np.asarray(result).dtype), "shape": list(values.shape), "values": shown}
    return result if isinstance(result, (dict, int, str)) else None
