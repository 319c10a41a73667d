"""What stands before the document: packages, the page, theorem environments, and small macros."""

from __future__ import annotations

__all__ = ["KINDS", "PACKAGES", "preamble"]

KINDS = ("Theorem", "Lemma", "Proposition", "Corollary", "Definition", "Claim")

# The Debian packages that hold what is used here.
PACKAGES = (
    "texlive-latex-base",
    "texlive-latex-recommended",
    "texlive-latex-extra",
    "texlive-fonts-recommended",
    "latexmk",
)

_HEAD = r"""\documentclass[11pt,a4paper,fleqn]{article}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,textwidth=160mm,textheight=240mm]{geometry}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{booktabs,longtable}
\usepackage{xcolor}
\usepackage{tikz}
\usetikzlibrary{backgrounds}
\usepackage{makeidx}
\usepackage[hidelinks]{hyperref}
\usepackage[capitalise,noabbrev,nameinlink]{cleveref}
\setlength{\mathindent}{1em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.4em plus 0.2em}
\allowdisplaybreaks
\AtBeginDocument{%
  \abovedisplayskip=5pt plus 2pt minus 2pt
  \belowdisplayskip=5pt plus 2pt minus 2pt
  \abovedisplayshortskip=3pt plus 2pt
  \belowdisplayshortskip=4pt plus 2pt minus 2pt}
\emergencystretch=2em
\definecolor{slrgray}{gray}{0.42}
\definecolor{slrproved}{RGB}{46,125,50}
\definecolor{slrcertified}{RGB}{21,101,192}
\definecolor{slrtested}{RGB}{0,121,107}
\definecolor{slrcited}{RGB}{123,31,162}
\definecolor{slropen}{RGB}{239,108,0}
\definecolor{slrfailed}{RGB}{198,40,40}
\definecolor{slrunverified}{gray}{0.5}
"""

_MACROS = r"""% The number of a claim is the paper's.
\newcommand{\slrnumber}[3]{%
  \expandafter\def\csname the#1\endcsname{#2}%
  \expandafter\def\csname theH#1\endcsname{#3}}
\newcommand{\slrwhy}[2]{\tag*{\footnotesize\color{slrgray}%
  \if\relax\detokenize{#1}\relax\else(#1)\ \fi#2}}
\newcommand{\slrgroup}[1]{\par
  \begin{list}{}{\leftmargin=1em\topsep=2pt\parsep=0.2em\partopsep=0pt}\item[]\textit{#1.}\slrgap}
\newcommand{\slrendgroup}{\end{list}}
\newcommand{\slrstatus}[2]{\par{\footnotesize\color{slrgray}\noindent\raggedright
  #1 \texttt{#2}\par}\medskip}
\newcommand{\slrunproved}[1]{\par\noindent{\bfseries\color{slr#1}%
  This claim is \uppercase{not proved} (#1).}\par}
% Long titles in the table of contents leave room for the numbers of pages.
\makeatletter
\renewcommand{\@pnumwidth}{2.6em}
\makeatother
% Reasons that follow a display need no empty line before it.
\newcommand{\slrgap}{ }
\newcommand{\slrqed}{$\square$~}
\newenvironment{slrproof}{\par\noindent\textit{Proof.} }{\par}
\newcommand{\slrindex}[1]{\index{#1}}
"""


def preamble() -> str:
    r"""Everything before ``\begin{document}``."""
    theorems = ["\\theoremstyle{definition}"]
    for kind in KINDS:
        name = kind.lower()
        theorems.append(f"\\newtheorem{{{name}}}{{{kind}}}")
        theorems.append(f"\\crefname{{{name}}}{{{kind}}}{{{_plural(kind)}}}")
    return _HEAD + "\n".join(theorems) + "\n" + _MACROS


def _plural(kind: str) -> str:
    return "Corollaries" if kind == "Corollary" else f"{kind}s"
